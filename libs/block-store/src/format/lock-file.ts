import { FieldError, flagField, jsonFields, numberField, textField } from './config-field.ts';

/** Backups and restores exclude deletions, and the other way round; locks of one type do not. */
export const lockTypes = { untyped: 0, backupOrRestore: 1, deletion: 2 } as const;

export interface LockFile {
  readonly name: string;
  readonly type: number;
  /** Its client has checked the other locks and continues. */
  readonly acquired: boolean;
}

/** Undefined when the text is not a lock. */
export function parseLockFile(text: string): LockFile | undefined {
  try {
    const fields = jsonFields(text);
    const type = numberField(fields, 'Type');
    return { name: textField(fields, 'Name'), type: Number(type), acquired: flagField(fields, 'Acquired') };
  } catch (error) {
    if (error instanceof FieldError) return undefined;
    throw error;
  }
}

export const lockFileText = ({ name, type, acquired }: LockFile): string =>
  JSON.stringify({ Name: name, Type: type, Acquired: acquired });
