import type { DataDownload, DataUpload, PodSpec } from '@lateen/api-types';
import type { ExposureSettings } from '@lateen/exposer';
import type { FaultPlace } from './fault-place.ts';

/** One thing that goes wrong on a real cluster, in a namespace with a node-agent of its own. */
export interface ClusterFault {
  name: string;
  direction: 'upload' | 'download';
  /** Settings of the node-agent. */
  settings?: ExposureSettings;
  /** Changes the template that hosting pods are made from. */
  template?(spec: PodSpec): void;
  /** Before the movement is made. */
  prepare?(place: FaultPlace): Promise<void>;
  /** Fields of spec that differ. */
  spec?(place: FaultPlace): Promise<Partial<DataUpload['spec'] & DataDownload['spec']>>;
  /** Once, when the movement is InProgress. */
  whileRunning?(place: FaultPlace): Promise<void>;
  /** Takes away what was made outside the namespace. */
  cleanUp?(place: FaultPlace): Promise<void>;
  /** `stuck`: it says `waiting: …` before it fails at the prepare timeout with the same words. */
  ends: 'failed' | 'stuck';
  /** Exactly, but for what is in braces, which stands for any text: `{volume}`. */
  message: string;
}

/** True when the text is the message, with anything where the message has a name in braces. */
export function matchesMessage(message: string, text: string): boolean {
  const parts = message.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+?')}$`, 's').test(text);
}
