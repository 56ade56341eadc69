import { isObject } from '../qmp/qmp-message.ts';

interface Entry {
  name: string;
  metaType: string;
  argumentType?: string;
  members: readonly { name: string; type: string }[];
  variants: readonly { case: string; type: string }[];
}

/** What a daemon can be asked, as `query-qmp-schema` answers it. */
export class QmpSchema {
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(answer: unknown) {
    const entries = Array.isArray(answer) ? answer.flatMap(entryOf) : [];
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }

  hasCommand(name: string): boolean {
    return this.#entries.get(name)?.metaType === 'command';
  }

  /**
   * Whether a command takes the argument `path`: member names with dots between them, of the variant `variant` where the
   * command has variants (`nbd` of block-export-add, `qcow2` of blockdev-add).
   */
  takes(command: string, path: string, variant?: string): boolean {
    let type: string | undefined = this.#entries.get(command)?.argumentType;
    for (const name of path.split('.')) {
      type = this.#memberType(type, name, variant);
      if (type === undefined) return false;
    }
    return true;
  }

  /** Members of objects only: what stands in lists, or in place of a name, is not looked into. */
  #memberType(type: string | undefined, name: string, variant: string | undefined): string | undefined {
    const entry = type === undefined ? undefined : this.#entries.get(type);
    if (entry === undefined) return undefined;
    const own = entry.members.find((member) => member.name === name)?.type;
    if (own !== undefined || variant === undefined) return own;
    const of = entry.variants.find((candidate) => candidate.case === variant)?.type;
    return this.#memberType(of, name, undefined);
  }
}

function entryOf(value: unknown): Entry[] {
  if (!isObject(value) || typeof value.name !== 'string') return [];
  return [
    {
      name: value.name,
      metaType: String(value['meta-type']),
      ...(typeof value['arg-type'] === 'string' ? { argumentType: value['arg-type'] } : {}),
      members: pairs(value.members, 'name') as Entry['members'],
      variants: pairs(value.variants, 'case') as Entry['variants'],
    },
  ];
}

const pairs = (list: unknown, key: 'name' | 'case'): readonly unknown[] =>
  Array.isArray(list)
    ? list.filter((item) => isObject(item) && typeof item[key] === 'string' && typeof item.type === 'string')
    : [];
