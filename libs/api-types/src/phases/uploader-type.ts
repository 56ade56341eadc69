/** Engines of pod volume backups; the empty string reads as kopia on restore (api.md section 11). */
export const uploaderTypes = ['kopia', 'restic', ''] as const;

export type UploaderType = (typeof uploaderTypes)[number];
