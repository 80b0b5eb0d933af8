// The pages whose title, kind or words hold all that is asked for; a title that is or begins with it comes first.
(function () {
  'use strict';
  const asked = (new URLSearchParams(location.search).get('q') || '').trim().toLowerCase();
  const words = asked.split(/\s+/).filter(Boolean);
  const rank = ([title, kind, , says]) => {
    const name = title.toLowerCase(), all = [name, kind, says.toLowerCase()].join(' ');
    if (!words.every((word) => all.includes(word))) return 0;
    return name === asked ? 4 : name.startsWith(asked) ? 3 : words.every((word) => name.includes(word)) ? 2 : 1;
  };
  const found = words.length
    ? window.siteIndex.map((entry) => [rank(entry), entry]).filter(([points]) => points)
    : [];
  found.sort(([one], [other]) => other - one);
  document.querySelector('input[name=q]').value = asked;
  document.getElementById('count').textContent =
    words.length ? found.length + (found.length === 1 ? ' page' : ' pages') : 'Write what you look for above.';
  const list = document.getElementById('results');
  for (const [, [title, kind, path, says]] of found.slice(0, 200)) {
    const item = document.createElement('li'), link = document.createElement('a');
    link.href = path;
    link.textContent = title;
    item.append(link, ' ' + kind + (says ? ': ' + says.slice(0, 160) : ''));
    list.append(item);
  }
})();
