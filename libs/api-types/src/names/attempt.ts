import { annotations } from './annotations.ts';

interface Annotated {
  metadata: { annotations?: Record<string, string> };
}

/** The attempt that a movement is in, or that its pod was made for; 1 without the annotation, or with one that is no number. */
export const attemptOf = (object: Annotated): number => {
  const number = Number(object.metadata.annotations?.[annotations.attempts] ?? 1);
  return Number.isInteger(number) && number > 1 ? number : 1;
};
