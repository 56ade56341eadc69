import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { Outcome, WorkQueue } from '@lateen/kube-runtime';
import { placeOf, Sight } from '../gather/sight.ts';
import type { Movement, MovementKind, MovementPatch } from '../kinds/movement-kind.ts';
import { rankOf, type Slots } from '../slots.ts';
import { type LineNote, nodeRoomText, roomText } from '../status/line-note.ts';
import { noteRemoval } from '../status/status-notes.ts';
import { hold, moveTo, timestamp } from '../status/write-movement.ts';

export interface AdmissionPorts<T extends Movement> {
  kube: KubeApi;
  kind: MovementKind<T>;
  clock: Clock;
  /** This node. */
  node: string;
  queue: WorkQueue;
  /** Slots for preparation (Accepted or Prepared), in the whole cluster. */
  room: Slots;
  /** Slots for preparation on this node, for movements that no other node can run. */
  nodeRoom: Slots;
}

/** Moves a movement from New to Accepted as soon as there is a slot for its preparation. */
export class Admission<T extends Movement> {
  readonly #ports: AdmissionPorts<T>;
  readonly #lines: LineNote<T>;

  constructor(ports: AdmissionPorts<T>, lines: LineNote<T>) {
    this.#ports = ports;
    this.#lines = lines;
  }

  /**
   * Returns undefined when the movement may be accepted; the acceptance is one write that also sets our finalizer. A movement
   * that has to wait gets the finalizer at once: a snapshot was made for it, and would stay behind if the object were deleted
   * while it waits.
   * @throws KUBE_CONFLICT
   */
  async waitsForRoom(object: T, signal: AbortSignal): Promise<Outcome | undefined> {
    const { kube, kind, node, room, nodeRoom, queue } = this.#ports;
    const wake = () => queue.add(Sight.key(object));
    const mayTake = (places: Slots) => places.tryTake(placeOf(object), { rank: rankOf(kind, object), size: 0 }, wake);
    const isNodeFull = kind.owner.isBound && !mayTake(nodeRoom);
    if (!isNodeFull && mayTake(room)) return undefined;
    const held = await hold(kube, kind, object, signal);
    const cause = isNodeFull ? nodeRoomText(node, nodeRoom.max) : roomText(room.max);
    return await this.#lines.waits(held, 'room to be prepared', cause, signal);
  }

  /** Returns the slot that was kept for a movement which may not be accepted any more, so that others can take it. */
  leaveLine(object: T): void {
    for (const places of [this.#ports.nodeRoom, this.#ports.room]) places.release(placeOf(object));
  }

  /** Several node-agents may try; one wins, the others get KUBE_CONFLICT. @throws KUBE_CONFLICT */
  async accept(object: T, signal: AbortSignal): Promise<T> {
    const { kube, kind, node, clock } = this.#ports;
    const acceptedTimestamp = timestamp(clock.now());
    const noNote = noteRemoval(object.status?.message);
    const status = { ...kind.owner.accepted(node), acceptedTimestamp, ...noNote } as MovementPatch<T>;
    return await moveTo(kube, kind, object, 'Accepted', status, signal);
  }
}
