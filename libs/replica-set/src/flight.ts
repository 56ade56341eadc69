import type { AppError } from '@lateen/errors';
import type { Asked } from './verdict.ts';

/** A request under way. */
export interface Flight {
  /** A bit for each member whose answer is awaited. */
  waiting: number;
  /** Everything has been sent; it is over when nobody is awaited any more. */
  isSent: boolean;
  /** Nobody is awaited any more, or a record has settled: answers it if it may be answered. */
  settle(): void;
  /** The set is over: fails it. */
  end(error: AppError): void;
}

/** A request that is carried out by several members. */
export interface SentFlight extends Flight {
  readonly asked: Asked;
  /** The only replica that can be read has refused it, and stays in the set. */
  refusal: AppError | undefined;
}
