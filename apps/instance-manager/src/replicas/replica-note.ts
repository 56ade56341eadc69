import { countOf, textOf } from '../notes/instance-notes.ts';

/** The note of a replica that has to run: what its folder and its process do not tell. */
export interface ReplicaNote {
  readonly name: string;
  readonly volume: string;
  readonly volumeUid: string;
  /** As requested: a path of the node. */
  readonly directory: string;
  /** Port on which its daemon serves. */
  readonly port: number;
  /** The run of its process. */
  readonly run: string;
}

/** @throws when the value is not a valid note */
export const parseReplicaNote = (value: Record<string, unknown>): ReplicaNote => ({
  name: textOf(value, 'name'),
  volume: textOf(value, 'volume'),
  volumeUid: textOf(value, 'volumeUid'),
  directory: textOf(value, 'directory'),
  port: countOf(value, 'port'),
  run: textOf(value, 'run'),
});
