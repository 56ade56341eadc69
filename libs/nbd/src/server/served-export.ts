import type { BlockTarget } from '@lateen/block-engine';
import { exportFlag } from '../wire/numbers.ts';
import { InFlight, type InFlightLimits } from './in-flight.ts';

/** What of a connection its export has to know. */
export interface ExportUser {
  cut(): void;
  /** Resolves when none of its requests runs any more. */
  readonly ended: Promise<void>;
}

/** More than one connection may be used for one volume: the target orders what overlaps, and a flush covers all of them. */
export const servedFlags =
  exportFlag.HAS_FLAGS |
  exportFlag.SEND_FLUSH |
  exportFlag.SEND_FUA |
  exportFlag.SEND_TRIM |
  exportFlag.SEND_WRITE_ZEROES |
  exportFlag.CAN_MULTI_CONN;

/** A target with those who use it. */
export class ServedExport {
  readonly name: string;
  readonly target: BlockTarget;
  readonly inFlight: InFlight;
  readonly #users = new Set<ExportUser>();

  constructor(name: string, target: BlockTarget, limits: InFlightLimits) {
    this.name = name;
    this.target = target;
    this.inFlight = new InFlight(limits);
  }

  add(user: ExportUser): void {
    this.#users.add(user);
    void user.ended.then(() => this.#users.delete(user));
  }

  /** Cuts all connections; resolves when none of their requests runs any more. */
  async end(): Promise<void> {
    const users = [...this.#users];
    for (const user of users) user.cut();
    await Promise.all(users.map((user) => user.ended));
  }
}
