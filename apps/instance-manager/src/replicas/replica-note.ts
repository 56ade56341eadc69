import { countOf, textOf } from '../notes/instance-notes.ts';

/** Of a replica that is to run: what its folder and its process do not say. */
export interface ReplicaNote {
  readonly name: string;
  readonly volume: string;
  readonly volumeUid: string;
  /** As it was asked for: a path of the node. */
  readonly directory: string;
  /** Where its daemon serves. */
  readonly port: number;
  /** Of its process. */
  readonly run: string;
}

/** @throws when it is none */
export const parseReplicaNote = (value: Record<string, unknown>): ReplicaNote => ({
  name: textOf(value, 'name'),
  volume: textOf(value, 'volume'),
  volumeUid: textOf(value, 'volumeUid'),
  directory: textOf(value, 'directory'),
  port: countOf(value, 'port'),
  run: textOf(value, 'run'),
});
