/** What was seen while a number of requests were in flight. */
export interface PaceRound {
  /** What came for each millisecond; only compared with that of other rounds. */
  rate: number;
  /** Whether this number of requests really was in flight: otherwise memory or the consumer was the limit, and the rate means nothing. */
  isFull: boolean;
}

export interface PaceLimits {
  first: number;
  min: number;
  max: number;
}

/** How many requests are in flight, and how that was found. */
export interface Pace {
  inFlight: number;
  /** `growing`: looks how far up it is worth going; `holding`: has found it; `trying`: looks now and then whether it has changed. */
  phase: 'growing' | 'holding' | 'trying';
  /** What to go back to when more brings nothing; 0 before the first round. */
  known: { inFlight: number; rate: number };
  /** Rounds since the last try, and which way that was. */
  roundsHeld: number;
  triedUp: boolean;
}

/** Twice as many in flight must bring so much more, or the store, or the line to it, has given all it has. */
const growthWorth = 1.15;
/** A step of a quarter up must bring so much more to be kept; one down may cost so much. */
const stepUpWorth = 1.06;
const stepDownCost = 0.97;
const roundsBetweenTries = 6;

export const firstPace = ({ first }: PaceLimits): Pace => ({
  inFlight: first,
  phase: 'growing',
  known: { inFlight: first, rate: 0 },
  roundsHeld: 0,
  triedUp: false,
});

/** The number for the next round: more while more come through, and no more than that needs. Pure. */
export function afterRound(pace: Pace, { rate, isFull }: PaceRound, limits: PaceLimits): Pace {
  if (!isFull) return pace;
  const { inFlight, known, phase } = pace;
  if (phase === 'holding') return held(pace, rate, limits);
  const isUp = inFlight >= known.inFlight;
  const worth = phase === 'growing' ? growthWorth : isUp ? stepUpWorth : stepDownCost;
  if (rate < known.rate * worth) return { ...pace, inFlight: known.inFlight, phase: 'holding', roundsHeld: 0 };
  const kept = { ...pace, known: { inFlight, rate } };
  if (phase === 'growing' && inFlight < limits.max) return { ...kept, inFlight: Math.min(inFlight * 2, limits.max) };
  return { ...kept, phase: 'holding', roundsHeld: 0 };
}

/** A refusal, or an answer that took far longer than others: the store has too much to do. Pure. */
export function afterStrain(pace: Pace, { min }: PaceLimits): Pace {
  const inFlight = Math.max(min, Math.floor(pace.inFlight / 2));
  // What was known belongs to a store that had less to do.
  return { ...pace, inFlight, phase: 'holding', known: { inFlight, rate: 0 }, roundsHeld: 0, triedUp: false };
}

function held(pace: Pace, rate: number, { min, max }: PaceLimits): Pace {
  const { inFlight, roundsHeld, triedUp } = pace;
  // The newest rate counts: what others take of the line changes all the time.
  const known = { inFlight, rate };
  if (roundsHeld < roundsBetweenTries) return { ...pace, known, roundsHeld: roundsHeld + 1 };
  const up = Math.min(max, inFlight + Math.max(1, Math.floor(inFlight / 4)));
  const down = Math.max(min, Math.floor(inFlight * 0.8));
  return { ...pace, phase: 'trying', known, inFlight: triedUp ? down : up, triedUp: !triedUp };
}
