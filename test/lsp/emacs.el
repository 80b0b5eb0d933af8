;;; A session in Emacs without a screen, with Eglot set up as docs/editors.md says.  -*- lexical-binding: t -*-
;; Flymake waits for a screen, so diagnostics are read where Eglot leaves them for it.

(require 'eglot)
(defvar failures 0)
(defun expect (what holds)
  (unless holds
    (setq failures (1+ failures))
    (princ (format "emacs: %s\n" what))))
(defun wait (what condition)
  (let ((end (+ (float-time) 10)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.02))
    (expect what (funcall condition))))
(defun go-to (line column)
  (goto-char (point-min))
  (forward-line (1- line))
  (forward-char column))
(defun line-text ()
  (buffer-substring-no-properties (line-beginning-position) (line-end-position)))
(defun diagnostics () (or eglot--diagnostics (flymake-diagnostics)))

(load (getenv "SETTINGS") nil t)
(setq eglot-connect-timeout 10 eglot-autoshutdown nil)
(find-file (getenv "KERNEL"))
(expect "the mode" (eq major-mode 'ptx-mode))
(let ((inhibit-message t))
  (apply #'eglot--connect (eglot--guess-contact)))
(expect "the server" (eglot-current-server))

(wait "six diagnostics" (lambda () (= (length (diagnostics)) 6)))
(let ((first (car (sort (copy-sequence (diagnostics))
                        (lambda (a b) (< (flymake-diagnostic-beg a) (flymake-diagnostic-beg b)))))))
  (expect "the first is the lost semicolon"
          (and (string-match-p "expected-semicolon" (flymake-diagnostic-text first))
               (= (line-number-at-pos (flymake-diagnostic-beg first)) 13))))

(defun ask (method) (jsonrpc-request (eglot-current-server) method (eglot--TextDocumentPositionParams)))
(go-to 15 6)
(let ((contents (plist-get (ask :textDocument/hover) :contents)))
  (expect "hover shows the form" (string-match-p "ldmatrix.sync.aligned" (plist-get contents :value))))
(go-to 17 48)
(let ((found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot))))
  (expect "the definition of a register"
          (and found (= (xref-location-line (xref-item-location (car found))) 9))))

(let ((action (car (progn (go-to 13 0) (eglot-code-actions (point) (line-end-position))))))
  (expect "a fix for the semicolon" (equal (plist-get action :title) "insert `;`"))
  (eglot--apply-workspace-edit (plist-get action :edit)))
(go-to 13 0)
(expect "the text has it" (equal (line-text) "    mov.u32 %r1, %tid.x;"))
(eglot--signal-textDocument/didChange)
(wait "five diagnostics after the fix" (lambda () (= (length (diagnostics)) 5)))

;; As it is typed, with the é before it counted as one letter of two bytes.
(go-to 14 0)
(insert "    /* é */ ld.glo\n")
(backward-char)
(eglot--signal-textDocument/didChange)
(completion-at-point)
(expect "what was completed" (equal (line-text) "    /* é */ ld.global"))
(delete-region (line-beginning-position) (1+ (line-end-position)))
(eglot--signal-textDocument/didChange)

(go-to 9 15)
(eglot-rename "%wide")
(expect "the new name" (equal (line-text) "    .reg .b64 %wide<4>;"))
(expect "of a member, too" (search-forward "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %wide1;" nil t))
(eglot--signal-textDocument/didChange)

(let ((text (buffer-string)))
  (eglot-format-buffer)
  (expect "the text laid out"
          (equal (buffer-string)
                 (with-temp-buffer
                   (insert text)
                   (call-process-region nil nil "ptxray" t '(t nil) nil "fmt" "--no-config" "-")
                   (buffer-string)))))

(let ((server (eglot-current-server)))
  (eglot-shutdown server)
  (expect "the server has ended" (not (jsonrpc-running-p server))))
(set-buffer-modified-p nil)
(kill-emacs (if (= failures 0) 0 1))
