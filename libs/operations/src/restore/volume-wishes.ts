import { annotations, type Restore } from '@lateen/api-types';

/** What a restore is told about volumes where Velero's API has no field (docs/adr/0039, 0041, 0046); absent: as the server does. */
export interface VolumeWishes {
  /** Policies of single claims that are there, as the annotation has them. */
  existingVolumes?: string | undefined;
  scaleWorkloads?: boolean | undefined;
  keepOldData?: boolean | undefined;
  /** A Go duration: so long at most. */
  waitForData?: boolean | string | undefined;
  /** `wait` or `start`: what pods do whose volumes could not be restored through the file system. */
  onFailedPodVolume?: string | undefined;
}

const keys = {
  existingVolumes: annotations.existingVolumes,
  scaleWorkloads: annotations.scaleWorkloads,
  keepOldData: annotations.keepOldData,
  waitForData: annotations.waitForData,
  onFailedPodVolume: annotations.onFailedPodVolume,
} as const satisfies Record<keyof VolumeWishes, string>;

const names = Object.keys(keys) as (keyof VolumeWishes)[];

/** As the server reads them. Pure. */
export const annotationsOfWishes = (wishes: VolumeWishes): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => (wishes[name] === undefined ? [] : [[keys[name], String(wishes[name])] as const])),
  );

/** What a Restore says of them, as texts. Pure. */
export const wishesOf = ({ metadata }: Restore): Partial<Record<keyof VolumeWishes, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = metadata.annotations?.[keys[name]];
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
