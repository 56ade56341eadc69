import type { ResourceSelector } from '@lateen/item-actions';
import type { PluginKind } from '@lateen/plugin-protocol';
import type { ProgramFile } from './find-programs.ts';

/** A plugin that a program offers. */
export interface PluginOffer {
  program: ProgramFile;
  /** Calls of actions that the program accepts in parallel from one run; undefined when it does not say. */
  parallelCalls?: number | undefined;
  kind: PluginKind;
  /** `example.io/action` */
  name: string;
  /** Which items it applies to; empty for kinds that are not actions. */
  appliesTo: ResourceSelector;
}
