/** Something to report by an Event of the object that the decision is about. */
export interface EventWish<Effect = never> {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /**
   * One of the effects of the decision, the same object: the Event is sent as soon as this effect is carried out. Absent: sent after the status was
   * written, for what the status itself says. A carried-out effect is not decided again, so an Event that waited for the status would be lost when
   * the status write fails with a conflict.
   */
  readonly after?: Effect;
}

/**
 * What a controller has decided about one object. The caller carries out the effects in order and writes the status last, each write guarded by
 * resourceVersion; everything in it may be repeated. Events come after the effects they report.
 */
export interface Decision<Status, Effect> {
  readonly status: Status;
  readonly effects: readonly Effect[];
  readonly events: readonly EventWish<Effect>[];
  /** Look again after this time though nothing has changed. */
  readonly again?: { readonly afterMs: number; readonly reason: string };
  /** What the object waits for, as text. */
  readonly waitsFor?: string;
}

/** The decision function of a controller: the same result for the same facts, at the time `nowMs` in epoch ms. */
export type Decide<Seen, Status, Effect> = (seen: Seen, nowMs: number) => Decision<Status, Effect>;
