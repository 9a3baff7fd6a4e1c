package home

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patient bounds the wait for a lock that is to be had: a busy machine decides nothing.
const patient = 2 * time.Minute

// waiting is a context for such a lock.
func waiting(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	t.Cleanup(cancel)
	return ctx
}

// roleEnv makes the test binary play another process: "hold" takes the lock and keeps it until standard input ends;
// "loop" takes it again and again, and prints each wait in nanoseconds.
const roleEnv = "HOME_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		if err := play(role, os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func play(role, dir string, args []string) error {
	h, err := Open(dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	if role == "hold" {
		if _, err := h.Lock(ctx); err != nil {
			return err
		}
		fmt.Println("held")
		// The lock ends with the process, which ends when its input does.
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		return nil
	}
	rounds, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	for range rounds {
		start := time.Now()
		unlock, err := h.Lock(ctx)
		if err != nil {
			return err
		}
		wait := time.Since(start)
		n, err := count(h)
		if err := errors.Join(err, unlock()); err != nil {
			return err
		}
		fmt.Println(wait.Nanoseconds(), n)
	}
	return nil
}

// count adds one to a number in a file and syncs it, which is about what a commit costs. Only the lock keeps it right.
func count(h *Home) (int, error) {
	path := h.Path("lock.count")
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	n, _ := strconv.Atoi(string(data))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, FileMode)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprint(f, n+1)
	return n + 1, errors.Join(err, f.Sync(), f.Close())
}

func command(t testing.TB, role string, h *Home, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, append([]string{h.Dir()}, args...)...)
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// holdElsewhere makes another process hold the lock until the returned function kills it.
func holdElsewhere(t *testing.T, h *Home) (kill func()) {
	t.Helper()
	cmd := command(t, "hold", h)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	kill = sync.OnceFunc(func() {
		cmd.Process.Kill()
		cmd.Wait()
		stdin.Close()
	})
	t.Cleanup(kill)
	return kill
}

func TestLockIsRefusedAtTheDeadlineAndHadAfterADeath(t *testing.T) {
	h := create(t)
	kill := holdElsewhere(t, h)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := h.Lock(ctx); !errors.Is(err, ErrLocked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("while another process holds it: %v", err)
	}
	cancelled, cancel2 := context.WithCancel(t.Context())
	cancel2()
	if _, err := h.Lock(cancelled); !errors.Is(err, context.Canceled) || errors.Is(err, ErrLocked) {
		t.Fatalf("cancelled: %v", err)
	}
	named, err := h.LockNamed(t.Context(), "mem0")
	if err != nil {
		t.Fatalf("another lock is free: %v", err)
	}
	if err := named(); err != nil {
		t.Fatal(err)
	}
	kill()
	unlock, err := h.Lock(waiting(t))
	if err != nil {
		t.Fatalf("after the holder was killed: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestLockAcrossProcesses(t *testing.T) {
	const processes, rounds = 4, 25
	h := create(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var seen []int
	for range processes {
		wg.Go(func() {
			out, err := command(t, "loop", h, strconv.Itoa(rounds)).Output()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for line := range strings.Lines(string(out)) {
				_, n, _ := strings.Cut(strings.TrimSpace(line), " ")
				i, err := strconv.Atoi(n)
				if err != nil {
					t.Error(err)
				}
				seen = append(seen, i)
			}
		})
	}
	wg.Wait()
	slices.Sort(seen)
	for i, n := range seen {
		if n != i+1 {
			t.Fatalf("count %d was seen where %d was due: two processes held the lock", n, i+1)
		}
	}
	if len(seen) != processes*rounds {
		t.Errorf("%d rounds, want %d", len(seen), processes*rounds)
	}
}

func TestLockAcrossGoroutines(t *testing.T) {
	h := create(t)
	second, err := Open(h.Dir()) // has files of its own, as another process would
	if err != nil {
		t.Fatal(err)
	}
	// Atomic because the race detector does not know that a file lock orders two Homes.
	var inside, total atomic.Int32
	ctx := waiting(t)
	var wg sync.WaitGroup
	for _, home := range []*Home{h, h, h, second, second, second} {
		wg.Go(func() {
			for range 50 {
				unlock, err := home.Lock(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d inside", n)
				}
				total.Add(1)
				inside.Add(-1)
				if err := unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := total.Load(); n != 300 {
		t.Errorf("%d times inside, want 300", n)
	}
}

func TestUnlockTwiceDoesNotFreeTheNextHolder(t *testing.T) {
	h := create(t)
	first, err := h.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := first(); err != nil {
		t.Fatal(err)
	}
	second, err := h.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer second()
	if err := first(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := h.Lock(ctx); !errors.Is(err, ErrLocked) {
		t.Errorf("the second holder lost its lock: %v", err)
	}
}

func TestLockFileThatWasReplaced(t *testing.T) {
	needModes(t) // Windows does not let an open file be removed
	h := create(t)
	unlock, err := h.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(h.Path(FileLock)), os.Remove(h.Path(FileLock+queueSuffix))); err != nil {
		t.Fatal(err)
	}
	holdElsewhere(t, h) // makes new files
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := h.Lock(ctx); !errors.Is(err, ErrLocked) {
		t.Errorf("locked a file that nobody else looks at: %v", err)
	}
}

func TestLockFileThatCannotBeMade(t *testing.T) {
	h := create(t)
	if err := os.Mkdir(h.Path(FileLock), DirMode); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second attempt must not wait for a door that the first left shut
		if _, err := h.Lock(t.Context()); err == nil || errors.Is(err, ErrLocked) {
			t.Errorf("locked a directory: %v", err)
		}
	}
}

func TestLockNamesAreApart(t *testing.T) {
	h := create(t)
	for _, name := range []string{"a", "a/", "../a", "", strings.Repeat("n", 1000)} {
		unlock, err := h.LockNamed(t.Context(), name)
		if err != nil {
			t.Fatalf("%.20q: %v", name, err)
		}
		defer unlock()
	}
	if findings, err := h.Check(); err != nil || len(findings) > 0 {
		t.Errorf("lock files: %v, %v", findings, err)
	}
}

func BenchmarkLock(b *testing.B) {
	h, err := Create(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("floor=flock", func(b *testing.B) {
		f, err := os.Create(h.Path(FileLock))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for b.Loop() {
			if ok, err := tryLock(f); !ok || err != nil {
				b.Fatal(ok, err)
			}
			if err := unlock(f); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("uncontended", func(b *testing.B) {
		for b.Loop() {
			unlock, err := h.Lock(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if err := unlock(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, n := range []int{2, 8} {
		// Each round reads, writes and syncs a small file under the lock. The figures to look at are the waits.
		b.Run(fmt.Sprintf("processes=%d", n), func(b *testing.B) {
			var worst, sum time.Duration
			rounds := 0
			for b.Loop() {
				var wg sync.WaitGroup
				var mu sync.Mutex
				for range n {
					wg.Go(func() {
						out, err := command(b, "loop", h, "100").Output()
						if err != nil {
							b.Error(err)
						}
						mu.Lock()
						defer mu.Unlock()
						for line := range strings.Lines(string(out)) {
							wait, _, _ := strings.Cut(line, " ")
							ns, _ := strconv.ParseInt(wait, 10, 64)
							worst = max(worst, time.Duration(ns))
							sum += time.Duration(ns)
							rounds++
						}
					})
				}
				wg.Wait()
			}
			b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
			b.ReportMetric(float64(sum.Microseconds())/1000/float64(rounds), "mean-ms")
		})
	}
}
