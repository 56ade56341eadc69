import { replicaError } from '../replica-error.ts';
import {
  type Layer,
  type LayerSnapshot,
  type Pending,
  type ReplicaRecord,
  type ReplicaState,
  recordFormat,
  replicaStates,
} from './replica-record.ts';
import { treeProblem } from './tree-problem.ts';

export const recordText = (record: ReplicaRecord): string => `${JSON.stringify(record)}\n`;

/**
 * Parses a record from the text of its file. Disks return wrong data and folders are copied, so every field is checked:
 * the record names the files that are opened and removed. @throws AppError `REPLICA_CORRUPT`, with what is wrong
 */
export function parseRecord(text: string, path: string): ReplicaRecord {
  try {
    const record = readRecord(new Fields('the record', JSON.parse(text)));
    const problem = treeProblem(record);
    if (problem !== undefined) throw new Error(problem);
    return record;
  } catch (error) {
    throw replicaError('REPLICA_CORRUPT', `${path} is not a record of a replica: ${(error as Error).message}`, {
      cause: error,
      nextStep:
        'Leave the folder as it is if no other replica has the data; else delete this replica and let it be rebuilt.',
    });
  }
}

function readRecord(fields: Fields): ReplicaRecord {
  const format = fields.count('format');
  if (format !== recordFormat) throw new Error(`its format is ${format}, and only ${recordFormat} is known`);
  return {
    format: recordFormat,
    volume: fields.text('volume'),
    replica: fields.text('replica'),
    volumeUid: fields.text('volumeUid'),
    sizeBytes: fields.size('sizeBytes'),
    generation: fields.count('generation'),
    engine: fields.text('engine'),
    state: fields.oneOf('state', replicaStates) as ReplicaState,
    servedIn: fields.count('servedIn'),
    killedIn: fields.count('killedIn'),
    nextId: fields.count('nextId'),
    layers: fields.list('layers').map(readLayer),
    head: fields.count('head'),
    pending: fields.list('pending').map(readPending),
  };
}

function readLayer(fields: Fields): Layer {
  const layer: Layer = {
    id: fields.count('id'),
    file: fields.file('file'),
    parent: fields.isNull('parent') ? null : fields.count('parent'),
    sizeBytes: fields.size('sizeBytes'),
    ...(fields.has('fileBytesMin') ? { fileBytesMin: fields.count('fileBytesMin') } : {}),
  };
  return fields.has('snapshot') ? { ...layer, snapshot: readSnapshot(fields.object('snapshot')) } : layer;
}

function readSnapshot(fields: Fields): LayerSnapshot {
  const snapshot = {
    name: fields.text('name'),
    createdAt: fields.text('createdAt'),
    userCreated: fields.flag('userCreated'),
    labels: fields.object('labels').texts(),
    removed: fields.flag('removed'),
  };
  if (!fields.has('sum')) return snapshot;
  const sum = fields.object('sum');
  const modified = sum.has('fileModifiedMs') ? { fileModifiedMs: sum.count('fileModifiedMs') } : {};
  return { ...snapshot, sum: { sha256: sum.text('sha256'), at: sum.text('at'), ...modified } };
}

function readPending(fields: Fields): Pending {
  const kind = fields.text('kind');
  if (kind === 'create') return { kind };
  if (kind === 'merge') return { kind, child: fields.count('child'), into: fields.count('into') };
  if (kind === 'grow') return { kind, sizeBytes: fields.size('sizeBytes') };
  if (kind === 'relink') return { kind, layer: fields.count('layer') };
  if (kind === 'copy') return { kind, file: fields.file('file') };
  if (kind === 'garbage') return { kind, file: fields.file('file') };
  if (kind === 'snapshot') {
    const overlay = fields.object('overlay');
    return {
      kind,
      overlay: { id: overlay.count('id'), file: overlay.file('file') },
      snapshot: readSnapshot(fields.object('snapshot')),
    };
  }
  throw new Error(`it has a pending step ${kind}, which is not known`);
}

/** One JSON object, read field by field. */
class Fields {
  readonly #what: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(what: string, value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error(`${what} is not an object`);
    this.#what = what;
    this.#values = value as Record<string, unknown>;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  isNull(name: string): boolean {
    return this.#values[name] === null;
  }

  text(name: string): string {
    return this.#checked(name, (value) => typeof value === 'string', 'a text') as string;
  }

  flag(name: string): boolean {
    return this.#checked(name, (value) => typeof value === 'boolean', 'true or false') as boolean;
  }

  count(name: string): number {
    return this.#checked(name, (value) => Number.isSafeInteger(value) && (value as number) >= 0, 'a count') as number;
  }

  size(name: string): string {
    return this.#checked(
      name,
      (value) => typeof value === 'string' && /^[1-9]\d{0,18}$/.test(value),
      'a size',
    ) as string;
  }

  /** It becomes a path below the replica's folder. */
  file(name: string): string {
    return this.#checked(
      name,
      (value) => typeof value === 'string' && /^layer-\d{1,15}\.qcow2$/.test(value),
      'a file of a layer',
    ) as string;
  }

  oneOf(name: string, values: readonly string[]): string {
    return this.#checked(name, (value) => values.includes(value as string), values.join(' or ')) as string;
  }

  object(name: string): Fields {
    return new Fields(`${this.#what}'s ${name}`, this.#values[name]);
  }

  list(name: string): readonly Fields[] {
    const values = this.#checked(name, Array.isArray, 'a list') as readonly unknown[];
    return values.map((value, index) => new Fields(`${name}[${index}]`, value));
  }

  texts(): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.keys(this.#values).map((name) => [name, this.text(name)]));
  }

  #checked(name: string, isRight: (value: unknown) => boolean, wanted: string): unknown {
    const value = this.#values[name];
    if (!isRight(value)) throw new Error(`${this.#what}'s ${name} is not ${wanted}`);
    return value;
  }
}
