// The command kubernetes reads a file of manifests as the server of Kubernetes decodes them, and
// refuses kinds and fields that it does not know, or that stand twice.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	if err := read(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apps.AddToScheme, batch.AddToScheme, core.AddToScheme, networking.AddToScheme, policy.AddToScheme,
	} {
		if err := add(known); err != nil {
			return err
		}
	}
	decoder := serializer.NewCodecFactory(known, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	buffer := make([]byte, len(text)+1)
	for count := 0; ; count++ {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			if count == 0 {
				return fmt.Errorf("%s: no manifest", name)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if _, kind, err := decoder.Decode(buffer[:n], nil, nil); err != nil {
			return fmt.Errorf("%s, manifest %d, %v: %w", name, count+1, kind, err)
		}
	}
}
