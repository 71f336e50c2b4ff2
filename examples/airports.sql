CREATE TABLE airports (code text PRIMARY KEY, city text NOT NULL, opened date);
COPY airports FROM STDIN (FORMAT csv, HEADER match);
code,city,opened
ATL,"Atlanta, Georgia",1926-09-15
ORD,Chicago,1944-02-01
DFW,Dallas,
\.
SELECT * FROM airports ORDER BY code;
