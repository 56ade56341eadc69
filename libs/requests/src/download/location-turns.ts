/** Requests for one location that are signed at the same time: one that hangs leaves most workers to the others. */
export const turnsPerLocation = 4;

export interface LocationTurns {
  /** A turn to be ended, or undefined while the location has as many as it may. */
  take(location: string): { end(): void } | undefined;
}

export function locationTurns(max: number = turnsPerLocation): LocationTurns {
  const taken = new Map<string, number>();
  return {
    take: (location) => {
      const count = taken.get(location) ?? 0;
      if (count >= max) return undefined;
      taken.set(location, count + 1);
      return {
        end: () => {
          const left = (taken.get(location) ?? 1) - 1;
          if (left > 0) taken.set(location, left);
          else taken.delete(location);
        },
      };
    },
  };
}
