-- A session of nvim-dap, set up as docs/debugging.md says. Works with Neovim 0.7 and later.
vim.opt.runtimepath:append(vim.env.NVIM_DAP)
dofile(vim.env.SETUP)
local dap = require("dap")
local failures = 0
local function expect(what, holds)
  if not holds then
    failures = failures + 1
    io.stdout:write("neovim: " .. what .. "\n")
  end
end

local stops = {}
dap.listeners.after.event_stopped["test"] = function(_, body) table.insert(stops, body.reason) end
local function stopped(what, move)
  local before = #stops
  move()
  expect(what, vim.wait(10000, function() return #stops > before end, 20))
  vim.wait(5000, function() return dap.session() and dap.session().current_frame ~= nil end, 20)
  return stops[#stops]
end
local function ask(command, arguments)
  local answer, failed
  dap.session():request(command, arguments, function(problem, result) answer, failed = result, problem end)
  vim.wait(5000, function() return answer or failed end, 20)
  return answer
end
local function line()
  local answer = ask("stackTrace", { threadId = 1 })
  return answer and answer.stackFrames[1].line
end

vim.cmd("edit " .. vim.env.KERNEL)
vim.bo.filetype = "ptx"
vim.api.nvim_win_set_cursor(0, { 38, 0 })
dap.toggle_breakpoint()
local configuration = vim.tbl_extend("force", dap.configurations.ptx[1], {
  program = vim.env.KERNEL,
  args = { "--block=64", "2.5", "iota:f32:64", "fill:f32:64:1", "64" },
})
expect("it stops on entry", stopped("it stops", function() dap.run(configuration) end) == "entry")
expect("it stops at the breakpoint", stopped("it goes on", dap.continue) == "breakpoint" and line() == 38)
stopped("it goes back", dap.step_back)
expect("it is one instruction before", line() == 37)
stopped("it steps", dap.step_into)
expect("it is there again", line() == 38)
local answer = ask("evaluate", { expression = "%f1", context = "hover" })
expect("a register is shown", answer and answer.result == "2.5 (0x40200000)")
answer = ask("setExpression", { expression = "%f1", value = "3" })
expect("a register is set", answer and answer.value == "3 (0x40400000)")
local ended = false
dap.listeners.after.event_terminated["test"] = function() ended = true end
dap.toggle_breakpoint()
dap.continue()
expect("it ends", vim.wait(10000, function() return ended end, 20))
io.stdout:write(failures == 0 and "neovim: all as expected\n" or "")
vim.cmd(failures == 0 and "qall!" or "cquit!")
