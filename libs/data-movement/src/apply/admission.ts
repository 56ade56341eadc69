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
  /** Room to be prepared, in the whole cluster. */
  room: Slots;
  /** The same on this node, for what can be nowhere else. */
  nodeRoom: Slots;
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
    const { kube, kind, node, room, nodeRoom, queue } = this.#ports;
    const wake = () => queue.add(Sight.key(object));
    const mayTake = (places: Slots) => places.tryTake(placeOf(object), { rank: rankOf(kind, object), size: 0 }, wake);
    const isNodeFull = kind.owner.isBound && !mayTake(nodeRoom);
    if (!isNodeFull && mayTake(room)) return undefined;
    const held = await hold(kube, kind, object, signal);
    const cause = isNodeFull ? nodeRoomText(node, nodeRoom.max) : roomText(room.max);
    return await this.#lines.waits(held, 'room to be prepared', cause, signal);
  }

  /** It may not be accepted any more, so others may have the room that was kept for it. */
  leaveLine(object: T): void {
    for (const places of [this.#ports.nodeRoom, this.#ports.room]) places.release(placeOf(object));
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
