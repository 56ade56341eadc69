import { type Event, FAILSAFE_SCHEMA, getScalarValue, load, parseEvents, SCALAR_STYLE } from 'js-yaml';

/** A YAML document in which every value knows its line. Scalars are texts: what they mean is up to the reader. */
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

/** Deeper than any file a person writes. */
const depthMax = 20;

/** Aliases repeat what they point at; a few are a convenience, many are an attack. */
const aliasesMax = 100;

/** @throws an error of js-yaml, which names the line: bad syntax, a key twice, more than one document, none, an unknown tag */
export function yamlTree(source: string): YamlNode {
  const options = { schema: FAILSAFE_SCHEMA, maxDepth: depthMax, maxAliases: aliasesMax };
  load(source, options);
  return new TreeBuilder(source).build(parseEvents(source, options));
}

/** What is wrong with a document, on one line: js-yaml adds a picture of the place, on lines of its own. */
export function yamlProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { reason, mark } = error as Error & { reason?: string; mark?: { line: number } };
  if (reason === undefined) return error.message;
  return mark === undefined ? reason : `line ${mark.line + 1}: ${reason}`;
}

/** Goes through the events of a document that has been loaded before, so that only what is allowed comes. */
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

  /** `line` is that of what comes before; an empty value has no place of its own. */
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
