import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { Outcome, WorkQueue } from '@lateen/kube-runtime';
import { placeOf, Sight } from '../gather/sight.ts';
import type { Movement, MovementKind, MovementPatch } from '../kinds/movement-kind.ts';
import { rankOf, type Slots } from '../slots.ts';
import { type LineNote, roomText } from '../status/line-note.ts';
import { noteRemoval } from '../status/status-notes.ts';
import { hold, moveTo, timestamp } from '../status/write-movement.ts';

export interface AdmissionPorts<T extends Movement> {
  kube: KubeApi;
  kind: MovementKind<T>;
  clock: Clock;
  /** This node. */
  node: string;
  queue: WorkQueue;
  /** Room to be prepared, in the whole cluster. */
  room: Slots;
}

/** From New to Accepted, as soon as there is room to be prepared. */
export class Admission<T extends Movement> {
  readonly #ports: AdmissionPorts<T>;
  readonly #lines: LineNote<T>;

  constructor(ports: AdmissionPorts<T>, lines: LineNote<T>) {
    this.#ports = ports;
    this.#lines = lines;
  }

  /**
   * Undefined when it may be accepted, which is one write with our finalizer. What waits gets the finalizer for itself first:
   * the snapshot was made for it, and would stay behind if it were deleted here. @throws KUBE_CONFLICT
   */
  async waitsForRoom(object: T, signal: AbortSignal): Promise<Outcome | undefined> {
    const { kube, kind, room, queue } = this.#ports;
    const wake = () => queue.add(Sight.key(object));
    if (room.tryTake(placeOf(object), { rank: rankOf(kind, object), size: 0 }, wake)) return undefined;
    const held = await hold(kube, kind, object, signal);
    return await this.#lines.waits(held, 'room to be prepared', roomText(room.max), signal);
  }

  /** One of several node-agents wins. @throws KUBE_CONFLICT */
  async accept(object: T, signal: AbortSignal): Promise<T> {
    const { kube, kind, node, clock } = this.#ports;
    const acceptedTimestamp = timestamp(clock.now());
    const noNote = noteRemoval(object.status?.message);
    const status = { ...kind.owner.accepted(node), acceptedTimestamp, ...noNote } as MovementPatch<T>;
    return await moveTo(kube, kind, object, 'Accepted', status, signal);
  }
}
