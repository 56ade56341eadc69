import type { KubeObject } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Command } from 'commander';
import { completedOption } from '../completion/completion.ts';
import { parseTableFormat, printObjects, tableFormats } from './print-object.ts';
import { type ResourceColumn, resourceTable } from './resource-table.ts';

/** The flags of every command that lists objects (cli.md section 1). */
export interface ListFlags {
  output: string;
  labelColumns?: string;
  showLabels?: boolean;
}

/**
 * Adds them to a command. A command that creates an object has no default format: with a format, it prints the object and does
 * not create it (cli.md section 1).
 */
export function withListFlags(command: Command, { creates = false } = {}): Command {
  const formats = tableFormats.join(', ');
  const about = creates ? `print the object as ${formats}, and do not create it` : formats;
  const output = completedOption('-o, --output <format>', about, tableFormats);
  return command
    .addOption(creates ? output : output.default('table'))
    .option('-L, --label-columns <labels>', 'labels to show as columns, separated by commas')
    .option('--show-labels', 'show all labels in the last column');
}

/** Formats the objects that a command found. */
export type PrintList<T extends KubeObject> = (objects: readonly T[], options: { asList: boolean }) => string;

/**
 * Reads the flags before any request to the cluster and returns the formatter for them: the objects as text that ends with a line
 * break. With `asList` false, JSON and YAML have the single object without a list.
 * @throws AppError BAD_FLAG naming the flag
 */
export function listPrinter<T extends KubeObject>(
  columns: readonly ResourceColumn<T>[],
  flags: ListFlags,
): PrintList<T> {
  const format = parseTableFormat(flags.output);
  const labelColumns = flags.labelColumns === undefined ? [] : flags.labelColumns.split(',').map((key) => key.trim());
  if (labelColumns.includes('')) throw new AppError('BAD_FLAG', '--label-columns has an empty label in it');
  if (format !== 'table' && format !== 'wide') return (objects, { asList }) => printObjects(objects, format, asList);
  const look = { wide: format === 'wide', labelColumns, showLabels: flags.showLabels === true };
  return (objects) => `${resourceTable(objects, columns, look).join('\n')}\n`;
}
