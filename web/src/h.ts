// Elements: made, filled, and brought up to date in place so that focus, hover and selection stay.

type Kid = Node | string | number | null | undefined | false | Kid[];
type Handler = (e: never) => unknown;
type Attributes = Record<string, string | number | boolean | null | undefined | Handler>;
type Handled = HTMLElement & { handlers?: Set<string> } & Record<string, unknown>;

function real(kids: Kid[], out: (Node | string)[] = []): (Node | string)[] {
  for (const k of kids) {
    if (Array.isArray(k)) real(k, out);
    else if (k !== null && k !== undefined && k !== false) out.push(typeof k === 'number' ? String(k) : k);
  }
  return out;
}

/** h('button.btn.icon', { onclick, title }, …): no text ever becomes HTML. */
export function h<T extends HTMLElement = HTMLElement>(tag: string, attributes: Attributes = {}, ...kids: Kid[]): T {
  const [name, ...classes] = tag.split('.');
  const e = document.createElement(name || 'div');
  if (classes.length) e.className = classes.join(' ');
  for (const [k, v] of Object.entries(attributes)) {
    if (v === undefined || v === false || v === null) continue;
    if (typeof v === 'function') {
      const to = e as unknown as Handled;
      to[k] = v;
      (to.handlers ??= new Set()).add(k);
    } else if (k === 'class') e.className = `${e.className} ${v}`.trim();
    else e.setAttribute(k, v === true ? '' : String(v));
  }
  e.append(...real(kids));
  return e as T;
}

/** Makes the children of `at` those that are given, and changes no more than it must. */
export function fill(at: Element, ...kids: Kid[]): void {
  const want = real(kids).map((k) => (typeof k === 'string' ? document.createTextNode(k) : k));
  for (let i = 0; i < want.length; i++) {
    const is = at.childNodes[i];
    if (!is) at.append(want[i]); else if (is !== want[i] && !morph(is, want[i])) is.replaceWith(want[i]);
  }
  while (at.childNodes.length > want.length) at.lastChild?.remove();
}

/** An element with `data-keep` is left as it is while the new one has the same value there. */
function morph(is: Node, want: Node): boolean {
  if (is.nodeType !== want.nodeType || is.nodeName !== want.nodeName) return false;
  if (!(is instanceof Element) || !(want instanceof Element)) {
    if (is.nodeValue !== want.nodeValue) is.nodeValue = want.nodeValue;
    return true;
  }
  if (is instanceof SVGElement) return is.outerHTML === want.outerHTML;
  const keep = want.getAttribute('data-keep');
  if (keep !== is.getAttribute('data-keep')) return false;
  if (keep !== null) return true;
  for (const { name } of [...is.attributes]) if (!want.hasAttribute(name)) is.removeAttribute(name);
  for (const { name, value } of [...want.attributes]) if (is.getAttribute(name) !== value) is.setAttribute(name, value);
  const a = is as unknown as Handled, b = want as unknown as Handled;
  for (const k of a.handlers ?? []) if (!b.handlers?.has(k)) a[k] = null;
  for (const k of b.handlers ?? []) a[k] = b[k];
  a.handlers = b.handlers;
  fill(is, [...want.childNodes]);
  return true;
}

export const $ = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
