import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** An archive for whoever looks into a problem. The volume manager lists these and acts on none. */
export interface SupportBundle extends KubeObject {
  spec: SupportBundleSpec;
  status?: SupportBundleStatus;
}

/** What the archive is for. */
export interface SupportBundleSpec {
  /** The problem in words. */
  description: string;
  /** Address of the issue. */
  issueURL?: string | null;
  /** Node that makes the archive. */
  nodeID?: string;
}

/** How far the archive has come. */
export interface SupportBundleStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** How far the archive has come. */
  state?: string;
  /** Percent done. */
  progress?: Integer;
  /** Name of the file. */
  filename?: string;
  /** Bytes of the file. */
  filesize?: Int64;
  /** Image of the pod that makes it. */
  image?: string;
  /** Address of that pod. */
  managerIP?: string;
  /** What holds for it. */
  conditions?: Condition[];
}

export const supportBundleType = longhornType<SupportBundle>('SupportBundle', 'supportbundles');
