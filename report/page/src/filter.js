// Filter of the shown jobs and nodes, which are identified by their names in all runs.

export class Filter {
  constructor() {
    this.jobs = new Set();
    this.nodes = new Set();
    this.text = "";
    this.listeners = [];
  }

  job(name) {
    return (this.jobs.size === 0 || this.jobs.has(name)) && name.includes(this.text);
  }
  node(name) {
    return this.nodes.size === 0 || this.nodes.has(name);
  }
  get isEmpty() {
    return this.jobs.size + this.nodes.size === 0 && this.text === "";
  }

  /** Shows only this one or, if only this one is shown, all. With `more`, adds or removes this one.
   *  */
  pick(kind, name, more = false) {
    const set = this[kind];
    const only = set.size === 1 && set.has(name);
    if (more && set.has(name)) set.delete(name);
    else {
      if (!more) set.clear();
      if (!only) set.add(name);
    }
    this.changed();
  }
  search(text) {
    this.text = text;
    this.changed();
  }
  clear() {
    this.jobs.clear();
    this.nodes.clear();
    this.text = "";
    this.changed();
  }
  changed() {
    for (const listener of this.listeners) listener();
  }
}
