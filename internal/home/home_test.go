package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// create makes a home in a new directory.
func create(t *testing.T) *Home {
	t.Helper()
	h, err := Create(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func needModes(t *testing.T) {
	t.Helper()
	if modesUnchecked {
		t.Skip("modes are not checked here")
	}
}

func TestResolve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths below are POSIX")
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ flag, env, user, want string }{
		{"/a/b/../c", "/env", "/u", "/a/c"},
		{"rel", "/env", "/u", filepath.Join(wd, "rel")},
		{"", "/env/", "/u", "/env"},
		{"", "", "/u", "/u/.hearsay"},
		{"", "rel", "/u", ""},   // would follow an agent's working directory
		{"", "~/x", "/u", ""},   // nobody expanded it
		{"", "", "", ""},        // no home directory
		{"", "", "rel/u", ""},   // a broken one
		{"", "./x", "/u", ""},   //
		{"", "/e", "", "/e"},    // env alone is enough
		{"/f", "bad", "", "/f"}, // the flag wins over nonsense
	} {
		got, err := Resolve(tt.flag, func(name string) string {
			if name != EnvHome {
				t.Errorf("asked for $%s", name)
			}
			return tt.env
		}, tt.user)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("Resolve(%q, %q, %q) = %q, %v; want %q", tt.flag, tt.env, tt.user, got, err, tt.want)
		}
	}
}

func TestCreateMakesAPrivateHomeThatOpens(t *testing.T) {
	h := create(t)
	findings, err := h.Check()
	if err != nil || len(findings) > 0 {
		t.Errorf("a new home: %v, %v", findings, err)
	}
	key, err := h.IndexKey()
	if err != nil || len(key) != IndexKeySize {
		t.Fatalf("index key: %d bytes, %v", len(key), err)
	}
	again, err := Open(h.Dir())
	if err != nil {
		t.Fatal(err)
	}
	key2, err := again.IndexKey()
	if err != nil || !cmp.Equal(key, key2) {
		t.Errorf("another key after opening again: %v", err)
	}
	other := create(t)
	if key3, _ := other.IndexKey(); cmp.Equal(key, key3) {
		t.Error("two homes share an index key")
	}
}

func TestCreateFinishesWhatWasInterrupted(t *testing.T) {
	h := create(t)
	key, _ := h.IndexKey()
	if err := os.Remove(h.Path(DirSigned)); err != nil {
		t.Fatal(err)
	}
	h, err := Create(h.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if now, _ := h.IndexKey(); !cmp.Equal(key, now) {
		t.Error("an interrupted Create replaced the key")
	}
	if _, err := os.Stat(h.Path(DirSigned)); err != nil {
		t.Error(err)
	}
}

func TestCreateRefuses(t *testing.T) {
	h := create(t)
	if err := h.SetConfig(Config{Principal: "ana"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(h.Dir()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a home: %v", err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(foreign); err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("over a person's folder: %v", err)
	}
	if info, _ := os.Stat(foreign); !modesUnchecked && info.Mode().Perm() != 0o755 {
		t.Errorf("a refused folder has mode %v now", info.Mode())
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "hearsay init") {
		t.Errorf("a missing home: %v", err)
	}
	needModes(t)
	for _, tt := range []struct {
		name  string
		spoil func(h *Home) error
		fix   string
	}{
		{"group can write the directory", func(h *Home) error { return os.Chmod(h.Dir(), 0o770) }, "chmod 0700 "},
		{"others can write the directory", func(h *Home) error { return os.Chmod(h.Dir(), 0o702) }, "chmod 0700 "},
		{"others can read the index key", func(h *Home) error { return os.Chmod(h.Path(FileIndexKey), 0o604) }, "chmod 0600 "},
		{"group can read the ledger key", func(h *Home) error {
			return errors.Join(h.WriteNew(FileLedgerKey, []byte("k")), os.Chmod(h.Path(FileLedgerKey), 0o640))
		}, "chmod 0600 "},
		{"others can write the store", func(h *Home) error {
			return errors.Join(h.WriteNew(FileStore, []byte("k")), os.Chmod(h.Path(FileStore), 0o602))
		}, "chmod 0600 "},
		{"the index key is a link", func(h *Home) error {
			return errors.Join(os.Rename(h.Path(FileIndexKey), h.Dir()+".key"), os.Symlink(h.Dir()+".key", h.Path(FileIndexKey)))
		}, "cp --remove-destination "},
		{"signed policies are elsewhere", func(h *Home) error {
			return errors.Join(os.Rename(h.Path(DirSigned), h.Dir()+".signed"), os.Symlink(h.Dir()+".signed", h.Path(DirSigned)))
		}, "cp "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := create(t)
			if err := tt.spoil(h); err != nil {
				t.Fatal(err)
			}
			_, err := Open(h.Dir())
			if !errors.Is(err, ErrUnsafe) || !strings.Contains(err.Error(), tt.fix) {
				t.Errorf("Open = %v, want ErrUnsafe and %q", err, tt.fix)
			}
		})
	}
}

func TestOpenRefusesAnotherOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	for _, name := range []string{".", FileIndexKey} {
		h := create(t)
		if err := os.Chown(h.Path(name), 12345, -1); err != nil {
			t.Skip(err)
		}
		if _, err := Open(h.Dir()); !errors.Is(err, ErrUnsafe) || !strings.Contains(err.Error(), "owned by uid 12345") {
			t.Errorf("%s of another user: %v", name, err)
		}
	}
}

func TestOpenBearsAReadableDirectory(t *testing.T) {
	needModes(t)
	h := create(t)
	if err := os.Chmod(h.Dir(), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(h.Dir()); err != nil {
		t.Errorf("only the names are shown: %v", err)
	}
	if findings, _ := h.Check(); len(findings) != 1 {
		t.Errorf("Check = %v, want the directory's mode", findings)
	}
}

func TestCheckNamesEachFault(t *testing.T) {
	needModes(t)
	h := create(t)
	if err := errors.Join(
		h.WriteNew("policy.yaml", []byte("version: 1\n")),
		os.Chmod(h.Path("policy.yaml"), 0o644),
		os.Symlink("/etc/passwd", h.Path(FileLedgerPub)),
		os.Chmod(h.Path(DirReviewers), 0o750),
	); err != nil {
		t.Fatal(err)
	}
	found, err := h.Check()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		if !strings.HasPrefix(f.Path, h.Dir()) || !strings.Contains(f.Fix, f.Path) {
			t.Errorf("finding without its path: %+v", f)
		}
		got = append(got, filepath.Base(f.Path)+": "+f.Found+", wanted "+f.Wanted)
	}
	want := []string{
		"ledger.pub: a symbolic link, wanted a file in place",
		"policy.yaml: mode 0644, wanted mode 0600",
		"reviewers: mode 0750, wanted mode 0700",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFixesCanBePasted(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ana/.hearsay": "/home/ana/.hearsay",
		"/tmp/a b":           "'/tmp/a b'",
		"/tmp/$(id)":         "'/tmp/$(id)'",
		"/tmp/it's":          `'/tmp/it'\''s'`,
		"":                   "''",
	} {
		if got := quote(path); got != want {
			t.Errorf("quote(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestInside(t *testing.T) {
	root := t.TempDir()
	h, err := Create(filepath.Join(root, "ws", "sub", "home"))
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "ws"), link); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := os.MkdirAll(filepath.Join(root, "ws2"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ws   string
		want bool
	}{
		{filepath.Join(root, "ws"), true},
		{link, true},
		{h.Dir(), true},
		{h.Path("reviewers"), true}, // the workspace lies in the home
		{root, true},
		{filepath.Join(root, "ws2"), false},
		{filepath.Join(root, "ws", "other"), false},
		{filepath.Join(root, "none"), false},
		{filepath.Join(h.Dir(), "none"), true},
		{filepath.Join(root, "ws", "sub", "hom"), false}, // a prefix of the name, not of the path
	} {
		if got := h.Inside(tt.ws); got != tt.want {
			t.Errorf("Inside(%s) = %v, want %v", tt.ws, got, tt.want)
		}
	}
}

func TestConfig(t *testing.T) {
	h := create(t)
	if _, err := h.Config(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no configuration: %v", err)
	}
	want := Config{V: 1, Principal: "ana", LogID: "l1", Origin: "hearsay/l1", Checkpoints: []string{filepath.Join(t.TempDir(), "copies")},
		Created: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)}
	if err := h.SetConfig(want); err != nil {
		t.Fatal(err)
	}
	got, err := h.Config()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := h.SetConfig(Config{Principal: "ana", Checkpoints: []string{"https://x"}}); err == nil {
		t.Error("a target that nothing can write was accepted")
	}
	for _, bad := range []string{`{}`, `{"v":1}`, `{"v":2,"principal":"a"}`, `{"v":1,"principal":"a","checkpoint":["/x"]}`,
		`{"v":1,"principal":"a"} {}`, `{"v":1,"principal":"a"`, `null`, ``} {
		if err := h.WriteFile(FileConfig, []byte(bad), FileMode); err != nil {
			t.Fatal(err)
		}
		if c, err := h.Config(); err == nil {
			t.Errorf("%s gave %+v", bad, c)
		}
	}
}

func TestEveryFileHasATrustSentence(t *testing.T) {
	for _, f := range Files() {
		if f.Name == "" || f.Holds == "" || f.ChangedBy == "" || f.Gain == "" || f.Mode != FileMode {
			t.Errorf("incomplete: %+v", f)
		}
		top, _, _ := strings.Cut(f.Name, "/")
		top, _, _ = strings.Cut(top, ",")
		if !known(top) {
			t.Errorf("%s is documented, but Create would call it foreign", f.Name)
		}
		if secret(f.Name) && !f.Secret {
			t.Errorf("%s is a secret that is documented as none", f.Name)
		}
	}
}
