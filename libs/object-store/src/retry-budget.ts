/**
 * How many retries all calls of one store may make together. Each retry takes one; each success gives a part of one
 * back. When a store is down for everybody the budget runs dry and calls fail at their first try, instead of
 * multiplying the load by the number of attempts.
 */
export interface RetryBudget {
  /** Takes one retry; false when none is left. */
  take(): boolean;
  /** A call succeeded. */
  giveBack(): void;
  /** Whole retries left. */
  readonly left: number;
}

export interface RetryBudgetLimits {
  /** Retries that may be made in a row without any success. */
  retriesMax: number;
  /** The share of the budget that one success returns. */
  perSuccess: number;
}

/** Twenty in a burst; in the long run at most one retry for five calls that succeed. */
export const retryBudgetDefault: RetryBudgetLimits = { retriesMax: 20, perSuccess: 0.2 };

export function retryBudget(limits: RetryBudgetLimits = retryBudgetDefault): RetryBudget {
  let left = limits.retriesMax;
  return {
    take: () => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    giveBack: () => {
      left = Math.min(left + limits.perSuccess, limits.retriesMax);
    },
    get left() {
      return Math.floor(left);
    },
  };
}
