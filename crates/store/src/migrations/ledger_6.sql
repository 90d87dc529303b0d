-- Labels are in the snapshot, where exports read them; here they were up to two fifths of the file.
ALTER TABLE chunks DROP COLUMN label;
