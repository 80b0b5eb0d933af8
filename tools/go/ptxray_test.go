package ptxray

import (
	"sync"
	"testing"
)

const bad = ".version 8.0\n.target sm_80\n.visible .entry k()\n{\n\t.reg .b32 %r<4>;\n\tmov.b32 %r0, %r9;\n" +
	"\tmov.b32 %r0, %r1\n\tret;\n}\n"

func TestDiagnostics(t *testing.T) {
	found, err := NewChecker().Check([]byte(bad), nil)
	if err != nil || len(found) != 2 || found[0].Rule != "undefined-symbol" || found[1].Rule != "expected-semicolon" {
		t.Fatal(found, err)
	}
	fix := found[1].Fix
	if found[1].Begin.Line != 7 || fix == nil || !fix.IsSafe || fix.Edits[0].Text != ";" || found[0].Notes[0].Begin.Line != 5 {
		t.Fatal(found)
	}
	if none, err := NewChecker().Check(nil, nil); err != nil || len(none) != 1 {
		t.Fatal(none, err)
	}
}

func TestOptions(t *testing.T) {
	options, err := NewOptions(map[string]string{"off": "undefined-symbol,expected-semicolon"})
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := NewChecker().Check([]byte(bad), options); len(found) != 0 {
		t.Fatal(found)
	}
	if _, err := NewOptions(map[string]string{"target": "sm_1"}); err == nil {
		t.Fatal("sm_1 is taken")
	}
}

func TestGoroutines(t *testing.T) {
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			checker := NewChecker()
			for k := 0; k < 200; k++ {
				if found, _ := checker.Check([]byte(bad), nil); len(found) != 2 {
					t.Error(found)
				}
			}
		}()
	}
	all.Wait()
}
