import type { ResourceSelector } from '@lateen/item-actions';
import type { PluginKind } from '@lateen/plugin-protocol';
import type { ProgramFile } from './find-programs.ts';

/** A plugin that a program offers. */
export interface PluginOffer {
  program: ProgramFile;
  kind: PluginKind;
  /** `example.io/action` */
  name: string;
  /** Which items it applies to; empty for kinds that are not actions. */
  appliesTo: ResourceSelector;
}
