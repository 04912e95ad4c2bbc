// Command image writes the program as an image for containers, without Docker: FROM scratch,
// with the certificates of public authorities, run by a user who is nobody else. The same
// input gives the same bytes. docker load, podman load and ctr images import read it.
package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user runs the program. Nobody else on a usual machine has this number.
const user = 65532

func main() {
	var (
		program = flag.String("program", "", "the built program")
		notices = flag.String("notices", "", "the licences of what is in it")
		arch    = flag.String("arch", "amd64", "what it was built for")
		version = flag.String("version", "dev", "its version, and the image's tag")
		out     = flag.String("out", "", "file to write")
	)
	flag.Parse()
	if err := write(*program, *notices, *arch, *version, *out); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func write(program, notices, arch, version, out string) error {
	content, err := layer(program, notices)
	if err != nil {
		return err
	}
	image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		Architecture: arch, OS: "linux", Created: v1.Time{Time: time.Unix(0, 0).UTC()}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: fmt.Sprintf("%d:%d", user, user), Entrypoint: []string{"/veinte"}, Cmd: []string{"serve"}, WorkingDir: "/",
			ExposedPorts: map[string]struct{}{"8020/tcp": {}}, StopSignal: "SIGTERM",
			Labels: map[string]string{
				"org.opencontainers.image.title": "Veinte", "org.opencontainers.image.version": version,
				"org.opencontainers.image.licenses": "Apache-2.0",
			},
			Healthcheck: &v1.HealthConfig{
				Test: []string{"CMD", "/veinte", "healthcheck"}, Interval: 10 * time.Second, Timeout: 4 * time.Second, StartPeriod: 30 * time.Second,
			},
		},
	})
	if err != nil {
		return err
	}
	image, err = mutate.AppendLayers(image, content)
	if err != nil {
		return err
	}
	tag, err := name.NewTag("veinte:" + version)
	if err != nil {
		return err
	}
	return tarball.WriteToFile(out, tag, image)
}

// layer is the one layer: what the program needs on a disk, and nothing else.
func layer(program, notices string) (v1.Layer, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	licences, err := os.ReadFile(notices)
	if err != nil {
		return nil, err
	}
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue // believed for some certificates only, which a file cannot say
		}
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	var all bytes.Buffer
	w := tar.NewWriter(&all)
	for _, f := range []struct {
		name string
		mode int64
		text []byte
	}{
		{"etc/", 0o755, nil},
		{"etc/passwd", 0o644, fmt.Appendf(nil, "veinte:x:%d:%d::/:/nologin\n", user, user)},
		{"etc/ssl/", 0o755, nil},
		{"etc/ssl/certs/", 0o755, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, roots.Bytes()},
		{"THIRD_PARTY_NOTICES.txt", 0o644, licences},
		{"tmp/", 0o1777, nil},
		{"veinte", 0o755, binary},
	} {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if header.Typeflag = tar.TypeReg; f.text == nil {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(all.Bytes())), nil })
}
