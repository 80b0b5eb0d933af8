/// An element with attributes (functions are listeners: `onclick`) and children, which may be texts or nothing.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  made.append(...children.filter((child) => child || child === 0));
  return made;
}

/// What is between backquotes is code.
export function withCode(text) {
  return text.split(/`([^`]*)`/).map((part, index) => (index % 2 ? element("code", {}, part) : part));
}
