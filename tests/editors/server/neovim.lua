-- A session in Neovim, step by step; what is seen goes to the file $SAID, a step a line.
local file = assert(io.open(vim.env.SAID, 'w'))
local function say(step, seen)
  file:write(vim.fn.json_encode({ step, seen }) .. '\n')
  file:flush()
end
local function wait(what)
  return vim.wait(60000, what, 20)
end
local function feed(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'xt', false)
end

local shown, other = {}, {}
vim.lsp.handlers['window/showMessage'] = function(_, result)
  table.insert(result.message:find('^train:f') and shown or other, result.message)
end
vim.notify = function(message)
  table.insert(other, message)
end

-- The diagnostics of a buffer, as soon as they are of these lines.
local function found(buffer, lines)
  local function seen()
    local all = {}
    for _, each in ipairs(vim.diagnostic.get(buffer)) do
      table.insert(all, { each.code, each.lnum + 1, each.col, each.end_lnum + 1, each.end_col })
    end
    return all
  end
  wait(function()
    return vim.deep_equal(lines, vim.tbl_map(function(each) return each[2] end, seen()))
  end)
  return seen()
end

vim.cmd('set hidden')
local train = vim.api.nvim_get_current_buf()
say('opened', found(train, { 8 }))
local client = (vim.lsp.get_clients or vim.lsp.get_active_clients)()[1]

-- What is asked for at the place of the finding.
vim.api.nvim_win_set_cursor(0, { 8, 6 })
vim.lsp.buf.hover()
local float
wait(function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    float = vim.api.nvim_win_get_config(window).relative ~= '' and window or float
  end
  return float
end)
say('hover', float and table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, false), '\n') or '')
if float then
  vim.api.nvim_win_close(float, true)
end

vim.lsp.codelens.refresh()
wait(function() return #vim.lsp.codelens.get(train) > 0 end)
say('lenses', vim.tbl_map(function(each)
  return { each.range.start.line + 1, each.command.title }
end, vim.lsp.codelens.get(train)))
vim.api.nvim_win_set_cursor(0, { vim.lsp.codelens.get(train)[1].range.start.line + 1, 0 })
vim.lsp.codelens.run()
wait(function() return #shown > 0 end)
say('listed', shown)

-- A fix is chosen from the menu, and made.
vim.api.nvim_win_set_cursor(0, { 8, 6 })
local offered = {}
vim.ui.select = function(items, options, chosen)
  for _, each in ipairs(items) do
    table.insert(offered, (options.format_item(each)))
  end
  chosen(items[1], 1)
end
vim.lsp.buf.code_action()
wait(function() return #offered > 0 end)
say('offered', offered)
say('after the fix', found(train, {}))
say('fixed', vim.api.nvim_buf_get_lines(train, 7, 8, false)[1])

-- Another buffer is typed in; nothing is saved.
vim.cmd('edit helper.py')
local helper = vim.api.nvim_get_current_buf()
feed('2GA * x.max().item()<Esc>')
say('after typing in the helper', found(helper, { 2 }))
feed('u')
say('after undoing it', found(helper, {}))
feed('<C-r>ggO# ä<CR># 😀<CR><Esc>')
say('with lines put in above', found(helper, { 5 }))
feed('ggdd:undo<CR>')
say('after taking one out and back', found(helper, { 5 }))
vim.cmd('silent write')
vim.cmd('bdelete')
vim.cmd('buffer ' .. train)
vim.cmd('silent write')
vim.cmd('silent edit!')
vim.cmd('edit helper.py')
say('after saving and closing', found(vim.api.nvim_get_current_buf(), { 5 }))

say('said besides', other)
client.stop()
say('stops', wait(function() return client.is_stopped() end))
say('quits', true)
vim.cmd('qall!')
