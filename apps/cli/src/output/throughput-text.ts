import type { RestoreThroughput } from '@lateen/api-types';
import { annotations } from '@lateen/api-types';
import { byteSize, plainLine } from '@lateen/errors';
import { count } from './count.ts';

/** `64.0 MiB/s, 8,123 files/s`; empty while no rate is known. */
export function ratesText({ bytesPerSecond, filesPerSecond }: RestoreThroughput): string {
  const rates = [
    bytesPerSecond === undefined ? '' : `${byteSize(bytesPerSecond)}/s`,
    filesPerSecond === undefined ? '' : `${count(filesPerSecond)} files/s`,
  ];
  return rates.filter(Boolean).join(', ');
}

/** `120,000 of 300,000`; empty where files are not counted. */
export function filesText({ filesDone, totalFiles }: RestoreThroughput): string {
  if (filesDone === undefined) return '';
  return totalFiles === undefined || totalFiles <= filesDone
    ? count(filesDone)
    : `${count(filesDone)} of ${count(totalFiles)}`;
}

/** What limits a restore, with the figures that show it; empty when it is not known. */
export function limitText(throughput: RestoreThroughput): string {
  const { limitedBy = '' } = throughput;
  const { words } = limits[limitedBy] ?? { words: plainLine(limitedBy) };
  const shown = limits[limitedBy]?.shown?.(throughput) ?? [];
  return shown.length === 0 ? words : `${words}: ${shown.join(', ')}`;
}

/** What the user can do about the limit; empty when there is nothing. */
export const limitAdvice = ({ limitedBy = '' }: RestoreThroughput): string => limits[limitedBy]?.advice ?? '';

/** How the repository was read; empty while that is not known. */
export function readerText({ reader, readerReason, storeRequests, storeBytes }: RestoreThroughput): string {
  if (reader === undefined) return '';
  if (reader !== 'packs') {
    const how = reader === 'engine' ? "the engine's own restore" : plainLine(reader);
    return readerReason === undefined ? how : `${how}, because ${plainLine(readerReason)}`;
  }
  if (storeRequests === undefined || storeBytes === undefined) return 'packs of the repository';
  return `packs of the repository: ${byteSize(storeBytes)} with ${count(storeRequests)} ${storeRequests === 1 ? 'request' : 'requests'}`;
}

/** What the volume had already, and what was written: `900 MiB unchanged, 124 MiB written, 1 GiB compared`; empty where nothing says. */
export function differencesText({ comparedBytes, unchangedBytes, writtenBytes }: RestoreThroughput): string {
  const figures: [number | undefined, string][] = [
    [unchangedBytes, 'unchanged'],
    [writtenBytes, 'written'],
    [comparedBytes, 'compared'],
  ];
  return figures.flatMap(([bytes, what]) => (bytes === undefined ? [] : [`${byteSize(bytes)} ${what}`])).join(', ');
}

interface Limit {
  words: string;
  shown?(throughput: RestoreThroughput): string[];
  advice: string;
}

const inFlight = ({ storeRequestsInFlight: requests }: RestoreThroughput): string[] =>
  requests === undefined ? [] : [`${requests} in flight`];

const waiting = (throughput: RestoreThroughput): string[] => [
  ...(throughput.storeLatencyMilliseconds === undefined
    ? []
    : [`${throughput.storeLatencyMilliseconds}ms per request`]),
  ...inFlight(throughput),
];

/** By `status.throughput.limitedBy`. A value that is missing here comes from a newer node-agent, and is shown unchanged. */
const limits: Readonly<Record<string, Limit>> = {
  rate: {
    words: 'the rate that its storage location sets',
    advice: `Raise or remove annotation ${annotations.downloadBytesPerSecond} of the BackupStorageLocation.`,
  },
  'store-latency': {
    words: "the store's latency",
    shown: waiting,
    advice: 'A nearer store helps; more requests in flight were tried and brought no more.',
  },
  'store-bandwidth': {
    words: "the store's bandwidth",
    shown: (throughput) => {
      const { storeBytes = 0, durationMilliseconds = 0 } = throughput;
      const rate = storeBytes > 0 && durationMilliseconds > 0 ? (storeBytes * 1_000) / durationMilliseconds : undefined;
      return [...(rate === undefined ? [] : [`${byteSize(rate)}/s came from it`]), ...inFlight(throughput)];
    },
    advice: 'See what the network between the node and the store gives, and what else uses it.',
  },
  cpu: {
    words: "the data mover's CPU",
    advice: 'Give data movers more CPU (podResources), or let fewer of them run on a node at once (loadConcurrency).',
  },
  disk: {
    words: 'the disk of the volume',
    advice: 'A faster storage class helps.',
  },
  memory: {
    words: "the data mover's memory, which has no room for more requests",
    shown: waiting,
    advice: 'Give data movers more memory (podResources): then more requests are in flight.',
  },
};
