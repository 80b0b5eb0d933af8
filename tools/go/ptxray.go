// Package ptxray checks PTX, the assembly language of NVIDIA GPUs, by libptxray. CGO_CFLAGS and CGO_LDFLAGS say where
// its header and the library are, if the compiler does not find them.
package ptxray

/*
#cgo LDFLAGS: -lptxray
#include <ptxray/ptxray-c.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"runtime"
	"unsafe"
)

// Place counts lines and columns from 1, columns and offsets in bytes.
type Place struct{ Line, Column, Offset uint32 }

// Severity is one of Error, Warning and Pedantic.
type Severity int

const (
	Error Severity = iota
	Warning
	Pedantic
)

// Note has a range if Begin is not the zero Place.
type Note struct {
	Message    string
	Begin, End Place
}

// Edit replaces the text from Begin to End.
type Edit struct {
	Begin, End Place
	Text       string
}

// Fix is all of its edits together.
type Fix struct {
	Title  string
	IsSafe bool
	Edits  []Edit
}

// Diagnostic is one finding. What there is not is empty.
type Diagnostic struct {
	Rule, Kind, Message string
	Severity            Severity
	Begin, End          Place
	Notes               []Note
	Fix                 *Fix
	OriginPath          string
	OriginLine          uint32
	Manual              string
}

// Version is that of the library.
func Version() string { return C.GoString(C.ptxray_version()) }

// Options say how a text is checked.
type Options struct{ made *C.ptxray_options }

// NewOptions takes names as in a .ptxray file, and language and constraints.
func NewOptions(values map[string]string) (*Options, error) {
	options := &Options{C.ptxray_options_new()}
	runtime.SetFinalizer(options, func(o *Options) { C.ptxray_options_free(o.made) })
	for name, value := range values {
		cName, cValue := C.CString(name), C.CString(value)
		problem := C.ptxray_options_set(options.made, cName, cValue)
		C.free(unsafe.Pointer(cName))
		C.free(unsafe.Pointer(cValue))
		if problem != nil {
			return nil, errors.New(C.GoString(problem))
		}
	}
	return options, nil
}

// Checker remembers what texts have in common. It serves one goroutine at a time.
type Checker struct{ made *C.ptxray_checker }

// NewChecker makes one.
func NewChecker() *Checker {
	checker := &Checker{C.ptxray_checker_new()}
	runtime.SetFinalizer(checker, func(c *Checker) { C.ptxray_checker_free(c.made) })
	return checker
}

func place(at C.ptxray_place) Place {
	return Place{uint32(at.line), uint32(at.column), uint32(at.offset)}
}

func read(d *C.ptxray_diagnostic) Diagnostic {
	out := Diagnostic{
		Rule: C.GoString(d.rule), Kind: C.GoString(d.kind), Message: C.GoString(d.message),
		Severity: Severity(d.severity), Begin: place(d.begin), End: place(d.end),
		OriginPath: C.GoString(d.origin_path), OriginLine: uint32(d.origin_line), Manual: C.GoString(d.manual),
	}
	for _, note := range unsafe.Slice(d.notes, d.note_count) {
		one := Note{Message: C.GoString(note.message)}
		if note.has_range != 0 {
			one.Begin, one.End = place(note.begin), place(note.end)
		}
		out.Notes = append(out.Notes, one)
	}
	if d.fix_title != nil {
		out.Fix = &Fix{Title: C.GoString(d.fix_title), IsSafe: d.fix_is_safe != 0}
		for _, edit := range unsafe.Slice(d.edits, d.edit_count) {
			out.Fix.Edits = append(out.Fix.Edits, Edit{place(edit.begin), place(edit.end), C.GoString(edit.text)})
		}
	}
	return out
}

// Check gives what was found, in the order of the text. The options may be nil.
func (c *Checker) Check(text []byte, options *Options) ([]Diagnostic, error) {
	var how *C.ptxray_options
	if options != nil {
		how = options.made
	}
	found := C.ptxray_checker_check(c.made, (*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.size_t(len(text)), how)
	runtime.KeepAlive(options)
	runtime.KeepAlive(c)
	if found == nil {
		return nil, errors.New("out of memory, or the file is larger than 4 GiB")
	}
	defer C.ptxray_result_free(found)
	all := make([]Diagnostic, C.ptxray_result_count(found))
	for i := range all {
		all[i] = read(C.ptxray_result_diagnostic(found, C.size_t(i)))
	}
	return all, nil
}
