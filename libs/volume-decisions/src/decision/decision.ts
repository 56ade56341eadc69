/** Something to be told by an Event of the object that was decided about. */
export interface EventWish<Effect = never> {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /**
   * One of the effects of the decision, the very same object: the Event is told as soon as that is carried out. Absent: after the status, for what
   * the status itself says. What an effect has changed is not decided again, so an Event of it that waited for the status would be lost when the
   * write of that is a conflict.
   */
  readonly after?: Effect;
}

/**
 * What a room has decided about one object. Whoever applies it carries out the effects in their order and writes the status last, each
 * write guarded by resourceVersion; everything in it may be repeated. Events come after what they tell of.
 */
export interface Decision<Status, Effect> {
  readonly status: Status;
  readonly effects: readonly Effect[];
  readonly events: readonly EventWish<Effect>[];
  /** Look again after this time though nothing has changed. */
  readonly again?: { readonly afterMs: number; readonly reason: string };
  /** What the object waits for, in words. */
  readonly waitsFor?: string;
}

/** A room: the same for the same facts, at the time `nowMs` in epoch ms. */
export type Decide<Seen, Status, Effect> = (seen: Seen, nowMs: number) => Decision<Status, Effect>;
