package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models"
	"veinte/web/lab"
)

// importRows is the number of sales in the file.
const importRows = 100_000

// BenchmarkImports imports a file of a hundred thousand sales on the command line, and
// another one in the browser, where a job of the server imports it; each should take
// less than 15 s and 150 MiB.
func BenchmarkImports(b *testing.B) {
	s := setup(b)
	s.run(b, "command", importByCommand)
	s.run(b, "browser", func(ctx context.Context, p *build) error {
		session, err := s.person(ctx, "administrator", models.Administrator)
		if err != nil {
			return err
		}
		return p.serving(ctx, func(server *lab.Process) error {
			return p.importInBrowser(ctx, server, &user{"http://" + server.Addr, session})
		})
	})
}

// salesFile writes a file of new sales, made today at terminals of every store, and
// returns its path.
func (m *machine) salesFile() (string, error) {
	name := "F" + rand.Text()[:6] // a letter first: more digits could be a card's number
	path := filepath.Join(m.dir, "sales-"+name+".csv")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "serialNumber,merchantId,orderId,amount,currency,soldAt,last4,cardBrand,authCode,folio,reference")
	opened := m.calendar.Day(m.now).Time(m.calendar.Zone())
	step := m.now.Add(-time.Minute).Sub(opened) / importRows
	for i := range importRows {
		terminal := i % (stores * 4)
		at := opened.Add(time.Duration(i) * step)
		fmt.Fprintf(w, "%d,9%05d,%s%06d-%s,%d.%02d,MXN,%s,%04d,VISA,%06d,F%06d,%s-%d\n", firstSerial+terminal, terminal+1,
			at.Format("060102"), i, name, 10+i%2500, i%100, at.Format(time.RFC3339), i%10000, i, i, name, i)
	}
	return path, errors.Join(w.Flush(), f.Close())
}

func importByCommand(ctx context.Context, p *build) error {
	path, err := p.salesFile()
	if err != nil {
		return err
	}
	begin := time.Now()
	out, state, err := p.command(ctx, "sales", "import", path)
	if err != nil {
		return err
	}
	p.record("s", time.Since(begin).Seconds())
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		p.record("peak-MiB", float64(usage.Maxrss)/1024)
	}
	if !strings.Contains(string(out), fmt.Sprintf("new\t%d\n", importRows)) {
		return fmt.Errorf("sales import: %s", out)
	}
	return nil
}

// command runs the program with the database.
func (p *build) command(ctx context.Context, args ...string) ([]byte, *os.ProcessState, error) {
	cmd := exec.CommandContext(ctx, p.bin, args...)
	cmd.Env = append(os.Environ(), "DATABASE_URL="+p.url())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, nil, fmt.Errorf("veinte %s: %w: %s", strings.Join(args[:2], " "), err, out.String())
	}
	return out.Bytes(), cmd.ProcessState, nil
}

// importInBrowser uploads, waits until every row was checked, confirms, and waits
// until all is imported.
func (p *build) importInBrowser(ctx context.Context, server *lab.Process, admin *user) error {
	path, err := p.salesFile()
	if err != nil {
		return err
	}
	form, err := admin.get(ctx, "/imports/new")
	if err != nil {
		return err
	}
	begin := time.Now()
	page, err := admin.upload(ctx, path, csrf(form))
	if err != nil {
		return err
	}
	checked, err := admin.await(ctx, page, `data-testid="import" data-state="checked"`)
	if err != nil {
		return err
	}
	p.record("checked-s", time.Since(begin).Seconds())
	begin = time.Now()
	if err := admin.postForm(ctx, page+"/confirmation", url.Values{"csrf": {csrf(checked)}, "version": {"2"}}); err != nil {
		return err
	}
	if _, err := admin.await(ctx, page, `data-testid="import" data-state="imported"`); err != nil {
		return err
	}
	p.record("imported-s", time.Since(begin).Seconds())
	_, most := resident(server)
	p.record("peak-MiB", most)
	return nil
}

// upload posts the file as the page's form does, and returns the address of its
// page.
func (u *user) upload(ctx context.Context, path, csrf string) (page string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	err = errors.Join(form.WriteField("csrf", csrf), form.WriteField("kind", "sales"))
	part, failure := form.CreateFormFile("file", filepath.Base(path))
	if err := errors.Join(err, failure); err != nil {
		return "", err
	}
	if _, err := io.Copy(part, file); err != nil {
		return "", err
	}
	if err := form.Close(); err != nil {
		return "", err
	}
	return u.post(ctx, "/imports", form.FormDataContentType(), body.Bytes())
}
