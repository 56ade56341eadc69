import type { DataDownload, DataUpload, PodSpec } from '@lateen/api-types';
import type { ExposureSettings } from '@lateen/exposer';
import type { FaultPlace } from './fault-place.ts';

/** One fault on a real cluster, in a namespace with its own node-agent. */
export interface ClusterFault {
  name: string;
  direction: 'upload' | 'download';
  /** Settings of the node-agent. */
  settings?: ExposureSettings;
  /** Changes the pod template that hosting pods are copied from. */
  template?(spec: PodSpec): void;
  /** Runs before the movement is created. */
  prepare?(place: FaultPlace): Promise<void>;
  /** Fields of spec that differ from the default. */
  spec?(place: FaultPlace): Promise<Partial<DataUpload['spec'] & DataDownload['spec']>>;
  /** Runs once, when the movement is InProgress. */
  whileRunning?(place: FaultPlace): Promise<void>;
  /** Removes objects outside the namespace. */
  cleanUp?(place: FaultPlace): Promise<void>;
  /** `stuck`: it reports `waiting: …` before it fails at the prepare timeout with the same text. */
  ends: 'failed' | 'stuck';
  /** The exact text, except that braces stand for any text: `{volume}`. */
  message: string;
}

/** True when the text matches the message, whose braces match any text. */
export function matchesMessage(message: string, text: string): boolean {
  const parts = message.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+?')}$`, 's').test(text);
}
