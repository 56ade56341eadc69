import { type Event, FAILSAFE_SCHEMA, getScalarValue, load, parseEvents, SCALAR_STYLE } from 'js-yaml';

/** A YAML document in which every value has its line number. Scalars are strings: the reader interprets them. */
export type YamlNode = { readonly line: number } & (
  | { readonly kind: 'text'; readonly text: string; readonly isQuoted?: boolean }
  | { readonly kind: 'list'; readonly items: YamlNode[] }
  | { readonly kind: 'map'; readonly entries: YamlEntry[] }
);

export interface YamlEntry {
  readonly key: string;
  readonly line: number;
  readonly value: YamlNode;
}

/** The depth limit; no file that a person writes is deeper. */
const depthMax = 20;

/** The limit of aliases, which repeat their target: a few are convenient, many are an attack on memory. */
const aliasesMax = 100;

/** @throws an error of js-yaml with the line: a syntax error, a duplicate key, no document or several, an unknown tag */
export function yamlTree(source: string): YamlNode {
  const options = { schema: FAILSAFE_SCHEMA, maxDepth: depthMax, maxAliases: aliasesMax };
  load(source, options);
  return new TreeBuilder(source).build(parseEvents(source, options));
}

/** The problem of a document in one line: js-yaml adds an excerpt of the place on further lines. */
export function yamlProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { reason, mark } = error as Error & { reason?: string; mark?: { line: number } };
  if (reason === undefined) return error.message;
  return mark === undefined ? reason : `line ${mark.line + 1}: ${reason}`;
}

/** Reads the events of a document that has been loaded before, so that only allowed events occur. */
class TreeBuilder {
  readonly #source: string;
  readonly #lineStarts: number[];
  readonly #anchors = new Map<string, YamlNode>();
  #events: readonly Event[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
    this.#lineStarts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  build(events: readonly Event[]): YamlNode {
    this.#events = events;
    // The first event opens the document.
    this.#at = 1;
    return this.#node(1);
  }

  /** `line` is the line of the preceding event, because an empty value has no position of its own. */
  #node(line: number): YamlNode {
    const event = this.#events[this.#at++];
    switch (event?.type) {
      case 2:
        return this.#list(event, this.#lineOf(event.start));
      case 3:
        return this.#map(event, this.#lineOf(event.start));
      case 4: {
        const text = event.valueStart < 0 ? '' : getScalarValue(this.#source, event);
        const node: YamlNode = {
          kind: 'text',
          line: event.valueStart < 0 ? line : this.#lineOf(event.valueStart),
          text,
          ...(event.style === SCALAR_STYLE.PLAIN ? {} : { isQuoted: true }),
        };
        return this.#remember(event, node);
      }
      case 5:
        return this.#anchors.get(this.#anchorOf(event)) ?? { kind: 'text', line, text: '' };
      default:
        return { kind: 'text', line, text: '' };
    }
  }

  #list(event: Anchored, line: number): YamlNode {
    const items: YamlNode[] = [];
    const node = this.#remember(event, { kind: 'list', line, items });
    while (!this.#isEnd()) items.push(this.#node(line));
    return node;
  }

  #map(event: Anchored, line: number): YamlNode {
    const entries: YamlEntry[] = [];
    const node = this.#remember(event, { kind: 'map', line, entries });
    while (!this.#isEnd()) {
      const key = this.#node(line);
      entries.push({ key: key.kind === 'text' ? key.text : '', line: key.line, value: this.#node(key.line) });
    }
    return node;
  }

  #isEnd(): boolean {
    const event = this.#events[this.#at];
    if (event !== undefined && event.type !== 6) return false;
    this.#at += 1;
    return true;
  }

  #remember(event: Anchored, node: YamlNode): YamlNode {
    const name = this.#anchorOf(event);
    if (name !== '') this.#anchors.set(name, node);
    return node;
  }

  #anchorOf({ anchorStart, anchorEnd }: Anchored): string {
    return anchorStart < 0 ? '' : this.#source.slice(anchorStart, anchorEnd);
  }

  #lineOf(offset: number): number {
    let line = this.#lineStarts.findIndex((start) => start > offset);
    if (line < 0) line = this.#lineStarts.length;
    return line;
  }
}

interface Anchored {
  readonly anchorStart: number;
  readonly anchorEnd: number;
}
