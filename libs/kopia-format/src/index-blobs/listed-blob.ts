/** A blob as a listing of the store has it. */
export interface ListedBlob {
  blobId: string;
  sizeBytes: number;
}

export const wholeNumber = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);
