-- A session in Neovim without a screen: what an editor of a user sees of a file with mistakes. Works from 0.7 on.
local program, path = vim.env.PTXRAY, vim.env.KERNEL
local failures = 0
local function expect(what, holds)
  if not holds then
    failures = failures + 1
    io.stdout:write("neovim: " .. what .. "\n")
  end
end
local function wait(what, condition)
  expect(what, vim.wait(5000, condition, 20))
end

vim.cmd("edit " .. path)
vim.bo.filetype = "ptx"
local id = vim.lsp.start_client({ name = "ptxray", cmd = { program, "lsp" } })
vim.lsp.buf_attach_client(0, id)
wait("six diagnostics", function() return #vim.diagnostic.get(0) == 6 end)
local found = vim.diagnostic.get(0)
table.sort(found, function(a, b) return a.lnum < b.lnum end)
expect("the first is the lost semicolon", found[1].code == "expected-semicolon" and found[1].lnum == 12)
expect("it is from ptxray", found[1].source == "ptxray")

local client = vim.lsp.get_client_by_id(id)
local function ask(method, line, column, more)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = line, character = column },
  }
  local answer = client.request_sync(method, vim.tbl_extend("force", params, more or {}), 5000, 0)
  return answer and answer.result
end

local hover = ask("textDocument/hover", 14, 6)
expect("hover shows the form", hover and hover.contents.value:find("ldmatrix.sync.aligned", 1, true))
local definition = ask("textDocument/definition", 16, 48)
expect("the definition of a register", definition and definition[1].range.start.line == 8)

local actions = ask("textDocument/codeAction", 0, 0, {
  range = { start = { line = 12, character = 0 }, ["end"] = { line = 12, character = 30 } },
  context = { diagnostics = {} },
})
expect("a fix for the semicolon", actions and actions[1] and actions[1].title == "insert `;`")
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
wait("five diagnostics after the fix", function() return #vim.diagnostic.get(0) == 5 end)
expect("the text has it", vim.api.nvim_buf_get_lines(0, 12, 13, true)[1] == "    mov.u32 %r1, %tid.x;")

-- As it is typed, with the é before it counted as one letter of two bytes.
vim.api.nvim_buf_set_lines(0, 13, 13, true, { "    /* é */ ld.glo" })
wait("a diagnostic of what is typed", function() return #vim.diagnostic.get(0) > 5 end)
local items = ask("textDocument/completion", 13, #"    /* e */ ld.glo")
expect("completion", items and items.items[1] and items.items[1].textEdit.newText == "ld.global")
local edit = items.items[1].textEdit
vim.lsp.util.apply_text_edits({ edit }, 0, client.offset_encoding)
expect("what was completed", vim.api.nvim_buf_get_lines(0, 13, 14, true)[1] == "    /* é */ ld.global")

vim.lsp.stop_client(id)
vim.cmd(failures == 0 and "qall!" or "cquit!")
