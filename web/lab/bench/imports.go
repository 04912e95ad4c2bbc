package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/web/lab"
)

// importRows is the number of sales in the file.
const importRows = 100_000

// measureImports imports a file of a hundred thousand sales on the command line, and
// another one in the browser, where a job of the server imports it.
func (b *bench) measureImports(ctx context.Context) error {
	if err := b.importByCommand(ctx); err != nil {
		return err
	}
	cookie, err := b.administrator(ctx)
	if err != nil {
		return err
	}
	p, _, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	return b.importInBrowser(ctx, p, &browser{base: "http://" + p.Addr, cookie: cookie})
}

// salesFile writes a file of new sales, made today at terminals of every store, and
// returns its path.
func (b *bench) salesFile(name string) (string, error) {
	path := filepath.Join(b.dir, name+".csv")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "serialNumber,merchantId,orderId,amount,currency,soldAt,last4,cardBrand,authCode,folio,reference")
	opened := b.calendar.Day(b.now).Time(b.calendar.Zone())
	step := b.now.Add(-time.Minute).Sub(opened) / importRows
	for i := range importRows {
		terminal := i % (stores * 4)
		at := opened.Add(time.Duration(i) * step)
		fmt.Fprintf(w, "%d,9%05d,%s%06d-%s,%d.%02d,MXN,%s,%04d,VISA,%06d,F%06d,%s-%d\n", 1490000000+terminal, terminal+1,
			at.Format("060102"), i, name, 10+i%2500, i%100, at.Format(time.RFC3339), i%10000, i, i, name, i)
	}
	return path, errors.Join(w.Flush(), f.Close())
}

func (b *bench) importByCommand(ctx context.Context) error {
	path, err := b.salesFile("command")
	if err != nil {
		return err
	}
	b.progress("a file of 100,000 sales, at the command line")
	cmd := exec.CommandContext(ctx, b.Bin, "sales", "import", path)
	cmd.Env = append(os.Environ(), "DATABASE_URL="+b.url)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("sales import: %w", err)
	}
	b.report.ImportCommand = time.Since(begin).Seconds()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		b.report.ImportCommandMemory = float64(usage.Maxrss) / 1024
	}
	if !strings.Contains(out.String(), fmt.Sprintf("new\t%d\n", importRows)) {
		return fmt.Errorf("sales import: %s", out.String())
	}
	return nil
}

func (b *bench) administrator(ctx context.Context) (cookie string, err error) {
	db, err := b.open(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	return b.person(ctx, db, accounts.Input{
		Email: "admin@veinte.example", Name: "Administrator", Role: models.Administrator,
		AllStores: true,
	})
}

// importInBrowser uploads, waits until every row was checked, confirms, and waits
// until all is imported.
func (b *bench) importInBrowser(ctx context.Context, p *lab.Process, person *browser) error {
	path, err := b.salesFile("browser")
	if err != nil {
		return err
	}
	b.progress("a file of 100,000 sales, in the browser")
	form, err := person.page("/imports/new")
	if err != nil {
		return err
	}
	begin := time.Now()
	page, err := person.upload(path, token(form))
	if err != nil {
		return err
	}
	checked, err := person.await(ctx, page, "checked")
	if err != nil {
		return err
	}
	b.report.ImportChecked = time.Since(begin).Seconds()
	begin = time.Now()
	body := strings.NewReader("csrf=" + token(checked) + "&version=2")
	if _, err := person.send(http.MethodPost, page+"/confirmation", "application/x-www-form-urlencoded", body); err != nil {
		return err
	}
	if _, err := person.await(ctx, page, "imported"); err != nil {
		return err
	}
	b.report.ImportImported = time.Since(begin).Seconds()
	_, b.report.ImportServerMemory = resident(p)
	return nil
}

// browser is a signed-in user.
type browser struct{ base, cookie string }

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

func token(page string) string {
	if found := csrfField.FindStringSubmatch(page); found != nil {
		return found[1]
	}
	return ""
}

func (b *browser) page(path string) (string, error) {
	resp, err := b.send(http.MethodGet, path, "", nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// send sends a request; redirects are not followed.
func (b *browser) send(method, path, kind string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequest(method, b.base+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", kind)
	req.AddCookie(&http.Cookie{Name: "veinte_session", Value: b.cookie})
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	return resp, nil
}

// upload posts the file as the page's form does, and returns the address of its
// page.
func (b *browser) upload(path, csrf string) (page string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	read, write := io.Pipe()
	form := multipart.NewWriter(write)
	go func() {
		err := errors.Join(form.WriteField("csrf", csrf), form.WriteField("kind", "sales"))
		part, failure := form.CreateFormFile("file", filepath.Base(path))
		if err = errors.Join(err, failure); err == nil {
			_, err = io.Copy(part, file)
		}
		_ = write.CloseWithError(errors.Join(err, form.Close()))
	}()
	resp, err := b.send(http.MethodPost, "/imports", form.FormDataContentType(), read)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return resp.Header.Get("Location"), nil
}

// await polls an import's page until the import is in the state.
func (b *browser) await(ctx context.Context, page, state string) (string, error) {
	for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		shown, err := b.page(page)
		if err != nil {
			return "", err
		}
		if strings.Contains(shown, `data-testid="import" data-state="`+state+`"`) {
			return shown, nil
		}
	}
	return "", ctx.Err()
}
