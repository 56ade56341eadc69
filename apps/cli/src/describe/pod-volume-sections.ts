import type { PodVolumeBackup, PodVolumeRestore } from '@lateen/api-types';
import type { PodVolumeInfo } from '@lateen/backup-store';
import { byteSize, plainLine } from '@lateen/errors';
import { age } from '@lateen/kernel';
import { hasEnded, kindOf, phaseOf, throughputOf, timeMs } from '@lateen/operations/volume';
import { fields, indented, section } from '../output/description.ts';
import { limitText, ratesText } from '../output/throughput-text.ts';

/** What is shown of a volume of a pod; lines with unescaped text. */
export interface ShownPodVolume {
  /** `namespace/pod`. */
  pod: string;
  volume: string;
  uploader: string;
  phase: string;
  /** Amounts, rates, times: a short text each. */
  facts: readonly string[];
  /** The error or the warning. */
  message: string;
}

/** From the movement's object. */
export function podVolumeOf(movement: PodVolumeBackup | PodVolumeRestore): ShownPodVolume {
  const { spec, status } = movement;
  return {
    pod: `${spec.pod.namespace}/${spec.pod.name}`,
    volume: spec.volume,
    uploader: spec.uploaderType || 'kopia',
    phase: phaseOf(movement),
    facts: factsOf(movement),
    message: status?.message ?? '',
  };
}

/** From the record in the backup, when the object is no longer in the cluster. */
export const podVolumeOfInfo = (info: PodVolumeInfo): ShownPodVolume => ({
  pod: `${info.podNamespace}/${info.podName}`,
  volume: info.volumeName,
  uploader: info.uploaderType || 'kopia',
  phase: info.Phase || 'New',
  facts: amounts(info.size, info.incrementalSize),
  message: '',
});

/**
 * The number of volumes by uploader and phase; with details each pod with its volumes, `shop/web: data (12.5 MiB, 1.0 MiB new)`,
 * and their warnings below. Blocks of lines.
 */
export function podVolumeSections(
  volumes: readonly ShownPodVolume[],
  titleOf: (uploader: string) => string,
  details: boolean,
): string[][] {
  const hint = details ? '' : ' (specify --details for more information)';
  return [...Map.groupBy(volumes, ({ uploader }) => uploader)].map(([uploader, ofUploader]) => {
    const lines = [...Map.groupBy(ofUploader, ({ phase }) => phase)].flatMap(([phase, some]) =>
      details ? section(phase, podLines(some)) : fields([[phase, String(some.length)]]),
    );
    return [`${titleOf(plainLine(uploader))}${hint}:`, ...indented(lines)];
  });
}

function podLines(volumes: readonly ShownPodVolume[]): string[] {
  return [...Map.groupBy(volumes, ({ pod }) => pod)].flatMap(([pod, some]) => {
    const inOrder = some.toSorted((a, b) => (a.volume < b.volume ? -1 : 1));
    const told = inOrder.filter(({ message }) => message !== '');
    return [
      plainLine(`${pod}: ${inOrder.map(volumeText).join(', ')}`),
      ...indented(told.map(({ volume, message }) => plainLine(`${volume}: ${message}`))),
    ];
  });
}

const volumeText = ({ volume, facts }: ShownPodVolume): string =>
  facts.length === 0 ? volume : `${volume} (${facts.join(', ')})`;

function factsOf(movement: PodVolumeBackup | PodVolumeRestore): string[] {
  const { status } = movement;
  const { bytesDone = 0, totalBytes = 0 } = status?.progress ?? {};
  const throughput = throughputOf(movement);
  const limit = limitText(throughput);
  const pace = [ratesText(throughput), limit === '' ? '' : `limited by ${limit}`].filter(Boolean);
  if (!hasEnded(movement))
    return [...(totalBytes > 0 ? [`${byteSize(bytesDone)} of ${byteSize(totalBytes)}`] : []), ...pace];
  if (phaseOf(movement) !== 'Completed') return [];
  const [startMs, endMs] = [timeMs(status?.startTimestamp), timeMs(status?.completionTimestamp)];
  const took = startMs === undefined || endMs === undefined ? [] : [age(endMs - startMs)];
  return [...amounts(totalBytes, kindOf(movement).incrementalBytesOf(movement)), ...took, ...pace];
}

const amounts = (size = 0, incrementalSize?: number): string[] => [
  ...(size > 0 ? [byteSize(size)] : []),
  ...(incrementalSize === undefined || size <= 0 ? [] : [`${byteSize(Math.max(0, incrementalSize))} new`]),
];
