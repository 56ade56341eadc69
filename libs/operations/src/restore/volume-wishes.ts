import { annotations, type Restore } from '@lateen/api-types';

/** Volume options of a restore without a field in Velero's API (docs/adr/0039, 0041, 0046); absent: the server's default. */
export interface VolumeWishes {
  /** Policies for single existing claims, in the form of the annotation. */
  existingVolumes?: string | undefined;
  scaleWorkloads?: boolean | undefined;
  keepOldData?: boolean | undefined;
  /** A Go duration: the longest wait. */
  waitForData?: boolean | string | undefined;
  /** `wait` or `start`: whether pods wait or start when their volumes could not be restored through the file system. */
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

/** The annotations that the server reads. Pure. */
export const annotationsOfWishes = (wishes: VolumeWishes): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => (wishes[name] === undefined ? [] : [[keys[name], String(wishes[name])] as const])),
  );

/** The options in a Restore's annotations, as texts. Pure. */
export const wishesOf = ({ metadata }: Restore): Partial<Record<keyof VolumeWishes, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = metadata.annotations?.[keys[name]];
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
