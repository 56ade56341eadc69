import type { AppError } from '@lateen/errors';
import type { Asked } from './verdict.ts';

/** A pending request. */
export interface Flight {
  /** One bit for each member that has not answered yet. */
  waiting: number;
  /** Everything has been sent; the request has ended when no member's answer is missing. */
  isSent: boolean;
  /** No answer is missing, or a record has settled: answers the request if that is allowed. */
  settle(): void;
  /** The set is over: fails the request. */
  end(error: AppError): void;
}

/** A request that is carried out by several members. */
export interface SentFlight extends Flight {
  readonly asked: Asked;
  /** The only readable replica has refused the request, and stays in the set. */
  refusal: AppError | undefined;
}
