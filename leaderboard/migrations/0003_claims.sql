-- When the present attempt began. One that began before the database's last start says nothing about the row, however it ended.
ALTER TABLE submission ADD COLUMN claimed_at timestamptz;
