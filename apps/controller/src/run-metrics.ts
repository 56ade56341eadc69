import { Gauge, type Registry } from 'prom-client';

interface Phased {
  status?: { phase?: string };
}

/**
 * Metrics that are read from the objects at each scrape: their number, and the number in each phase. A replica that does not lead
 * has none.
 * @param onScrape gets the present objects
 */
export function runReadings<R extends Phased>(
  registry: Registry,
  { total, byPhase, what }: { total: string; byPhase: string; what: string },
  onScrape: (runs: readonly R[]) => void = () => {},
): (read: () => readonly R[]) => void {
  let read: (() => readonly R[]) | undefined;
  const registers = [registry];
  new Gauge({
    name: total,
    help: `${what} that there are`,
    registers,
    collect() {
      const runs = read?.();
      if (runs === undefined) return;
      this.set(runs.length);
      onScrape(runs);
    },
  });
  new Gauge({
    name: byPhase,
    help: `${what} by their phase`,
    labelNames: ['phase'],
    registers,
    collect() {
      this.reset();
      for (const { status } of read?.() ?? []) this.inc({ phase: status?.phase ?? 'New' });
    },
  });
  return (reading) => {
    read = reading;
  };
}

/** How long a run took, or waited, in seconds; undefined when one of the times is missing. */
export function secondsBetween(from: string | null | undefined, to: string | null | undefined): number | undefined {
  const seconds = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000;
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : undefined;
}

/** From less than a second to a day. */
export const waitBuckets = [1, 5, 30, 60, 300, 900, 3_600, 14_400, 86_400];
