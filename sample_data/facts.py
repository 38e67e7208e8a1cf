"""Facts that the sample questions ask about: elements, capitals, US states, the spelling alphabet.

Countries whose capital is disputed, shared between cities or about to move are left out, so that
every question has one answer. A city after a slash is a well-known city of that country that is
not its capital: the mistake people make.
"""

from __future__ import annotations

_ELEMENT_NAMES = """
    hydrogen helium lithium beryllium boron carbon nitrogen oxygen fluorine neon sodium magnesium
    aluminium silicon phosphorus sulfur chlorine argon potassium calcium scandium titanium vanadium
    chromium manganese iron cobalt nickel copper zinc gallium germanium arsenic selenium bromine
    krypton rubidium strontium yttrium zirconium niobium molybdenum technetium ruthenium rhodium
    palladium silver cadmium indium tin antimony tellurium iodine xenon caesium barium lanthanum
    cerium praseodymium neodymium promethium samarium europium gadolinium terbium dysprosium
    holmium erbium thulium ytterbium lutetium hafnium tantalum tungsten rhenium osmium iridium
    platinum gold mercury thallium lead bismuth polonium astatine radon francium radium actinium
    thorium protactinium uranium neptunium plutonium americium curium berkelium californium
    einsteinium fermium mendelevium nobelium lawrencium rutherfordium dubnium seaborgium bohrium
    hassium meitnerium darmstadtium roentgenium copernicium nihonium flerovium moscovium
    livermorium tennessine oganesson
"""
ELEMENT_NAMES = tuple(_ELEMENT_NAMES.split())

_ELEMENT_SYMBOLS = """
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br
    Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho
    Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es
    Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""
ELEMENT_SYMBOLS = tuple(_ELEMENT_SYMBOLS.split())

_CAPITALS = {
    "Africa": """
        Algeria=Algiers/Oran, Angola=Luanda, Botswana=Gaborone, Burkina Faso=Ouagadougou,
        Cameroon=Yaoundé/Douala, Cape Verde=Praia, Central African Republic=Bangui,
        Chad=N'Djamena, Comoros=Moroni, Democratic Republic of the Congo=Kinshasa/Lubumbashi,
        Republic of the Congo=Brazzaville, Djibouti=Djibouti City, Egypt=Cairo/Alexandria,
        Eritrea=Asmara, Ethiopia=Addis Ababa, Gabon=Libreville, Gambia=Banjul/Serekunda,
        Ghana=Accra/Kumasi, Guinea=Conakry, Guinea-Bissau=Bissau, Kenya=Nairobi/Mombasa,
        Lesotho=Maseru, Liberia=Monrovia, Libya=Tripoli/Benghazi, Madagascar=Antananarivo,
        Malawi=Lilongwe/Blantyre, Mali=Bamako/Timbuktu, Mauritania=Nouakchott,
        Mauritius=Port Louis, Morocco=Rabat/Casablanca, Mozambique=Maputo, Namibia=Windhoek,
        Niger=Niamey, Nigeria=Abuja/Lagos, Rwanda=Kigali, Senegal=Dakar, Seychelles=Victoria,
        Sierra Leone=Freetown, Somalia=Mogadishu, South Sudan=Juba, Sudan=Khartoum/Omdurman,
        São Tomé and Príncipe=São Tomé, Togo=Lomé, Tunisia=Tunis/Sfax, Uganda=Kampala,
        Zambia=Lusaka, Zimbabwe=Harare/Bulawayo""",
    "Asia": """
        Afghanistan=Kabul/Kandahar, Armenia=Yerevan, Azerbaijan=Baku, Bahrain=Manama,
        Bangladesh=Dhaka/Chittagong, Bhutan=Thimphu, Brunei=Bandar Seri Begawan,
        Cambodia=Phnom Penh/Siem Reap, China=Beijing/Shanghai, Cyprus=Nicosia/Limassol,
        India=New Delhi/Mumbai, Iran=Tehran/Isfahan, Iraq=Baghdad/Basra,
        Japan=Tokyo/Osaka, Jordan=Amman, Kazakhstan=Astana/Almaty, Kuwait=Kuwait City,
        Kyrgyzstan=Bishkek, Laos=Vientiane, Lebanon=Beirut, Maldives=Malé, Mongolia=Ulaanbaatar,
        Nepal=Kathmandu/Pokhara, North Korea=Pyongyang, Oman=Muscat, Pakistan=Islamabad/Karachi,
        Philippines=Manila/Cebu, Qatar=Doha, Saudi Arabia=Riyadh/Jeddah,
        South Korea=Seoul/Busan, Syria=Damascus/Aleppo, Tajikistan=Dushanbe,
        Thailand=Bangkok/Chiang Mai, Timor-Leste=Dili, Turkey=Ankara/Istanbul,
        Turkmenistan=Ashgabat, United Arab Emirates=Abu Dhabi/Dubai,
        Uzbekistan=Tashkent/Samarkand, Vietnam=Hanoi/Ho Chi Minh City, Yemen=Sanaa/Aden""",
    "Europe": """
        Albania=Tirana, Andorra=Andorra la Vella, Austria=Vienna/Salzburg, Belarus=Minsk,
        Belgium=Brussels/Antwerp, Bosnia and Herzegovina=Sarajevo, Bulgaria=Sofia,
        Croatia=Zagreb/Split, Czechia=Prague/Brno, Denmark=Copenhagen/Aarhus, Estonia=Tallinn,
        Finland=Helsinki/Turku, France=Paris/Lyon, Germany=Berlin/Munich, Greece=Athens,
        Hungary=Budapest, Iceland=Reykjavik, Ireland=Dublin/Cork, Italy=Rome/Milan, Latvia=Riga,
        Liechtenstein=Vaduz, Lithuania=Vilnius/Kaunas, Malta=Valletta, Moldova=Chisinau,
        North Macedonia=Skopje, Norway=Oslo/Bergen, Poland=Warsaw/Kraków,
        Portugal=Lisbon/Porto, Romania=Bucharest/Cluj-Napoca, Russia=Moscow/Saint Petersburg,
        Serbia=Belgrade/Novi Sad, Slovakia=Bratislava, Slovenia=Ljubljana/Maribor,
        Spain=Madrid/Barcelona, Sweden=Stockholm/Gothenburg, Switzerland=Bern/Zurich,
        Ukraine=Kyiv/Lviv, United Kingdom=London/Manchester""",
    "the Americas": """
        Antigua and Barbuda=St. John's, Argentina=Buenos Aires/Córdoba, Bahamas=Nassau,
        Barbados=Bridgetown, Belize=Belmopan/Belize City, Brazil=Brasília/Rio de Janeiro,
        Canada=Ottawa/Toronto, Chile=Santiago/Concepción, Colombia=Bogotá/Medellín,
        Costa Rica=San José, Cuba=Havana, Dominica=Roseau, Dominican Republic=Santo Domingo,
        Ecuador=Quito/Guayaquil, El Salvador=San Salvador, Grenada=St. George's,
        Guatemala=Guatemala City, Guyana=Georgetown, Haiti=Port-au-Prince, Honduras=Tegucigalpa,
        Jamaica=Kingston/Montego Bay, Mexico=Mexico City/Guadalajara, Nicaragua=Managua,
        Panama=Panama City, Paraguay=Asunción, Peru=Lima/Cusco, Saint Kitts and Nevis=Basseterre,
        Saint Lucia=Castries, Suriname=Paramaribo, Trinidad and Tobago=Port of Spain,
        United States=Washington D.C., Uruguay=Montevideo, Venezuela=Caracas/Maracaibo""",
    "Oceania": """
        Australia=Canberra/Sydney, Fiji=Suva, Kiribati=South Tarawa, Marshall Islands=Majuro,
        Micronesia=Palikir, New Zealand=Wellington/Auckland, Palau=Ngerulmud,
        Papua New Guinea=Port Moresby, Samoa=Apia, Solomon Islands=Honiara, Tonga=Nuku'alofa,
        Tuvalu=Funafuti, Vanuatu=Port Vila""",
}

CAPITAL_OF: dict[str, str] = {}
REGION_OF: dict[str, str] = {}
OTHER_CITY_OF: dict[str, str] = {}
for _region, _text in _CAPITALS.items():
    for _entry in _text.split(","):
        _country, _cities = (" ".join(part.split()) for part in _entry.split("="))
        CAPITAL_OF[_country], _, _other = _cities.partition("/")
        REGION_OF[_country] = _region
        if _other:
            OTHER_CITY_OF[_country] = _other

_WITH_ARTICLE = (
    "Bahamas",
    "Central African Republic",
    "Comoros",
    "Democratic Republic of the Congo",
    "Dominican Republic",
    "Gambia",
    "Maldives",
    "Marshall Islands",
    "Philippines",
    "Republic of the Congo",
    "Seychelles",
    "Solomon Islands",
    "United Arab Emirates",
    "United Kingdom",
    "United States",
)

_STATES = """
    Alabama AL Montgomery, Alaska AK Juneau, Arizona AZ Phoenix, Arkansas AR Little_Rock,
    California CA Sacramento, Colorado CO Denver, Connecticut CT Hartford, Delaware DE Dover,
    Florida FL Tallahassee, Georgia GA Atlanta, Hawaii HI Honolulu, Idaho ID Boise,
    Illinois IL Springfield, Indiana IN Indianapolis, Iowa IA Des_Moines, Kansas KS Topeka,
    Kentucky KY Frankfort, Louisiana LA Baton_Rouge, Maine ME Augusta, Maryland MD Annapolis,
    Massachusetts MA Boston, Michigan MI Lansing, Minnesota MN Saint_Paul, Mississippi MS Jackson,
    Missouri MO Jefferson_City, Montana MT Helena, Nebraska NE Lincoln, Nevada NV Carson_City,
    New_Hampshire NH Concord, New_Jersey NJ Trenton, New_Mexico NM Santa_Fe, New_York NY Albany,
    North_Carolina NC Raleigh, North_Dakota ND Bismarck, Ohio OH Columbus,
    Oklahoma OK Oklahoma_City, Oregon OR Salem, Pennsylvania PA Harrisburg,
    Rhode_Island RI Providence, South_Carolina SC Columbia, South_Dakota SD Pierre,
    Tennessee TN Nashville, Texas TX Austin, Utah UT Salt_Lake_City, Vermont VT Montpelier,
    Virginia VA Richmond, Washington WA Olympia, West_Virginia WV Charleston,
    Wisconsin WI Madison, Wyoming WY Cheyenne
"""

STATE_CODE: dict[str, str] = {}
STATE_CAPITAL: dict[str, str] = {}
for _entry in _STATES.split(","):
    _state, _code, _capital = (part.replace("_", " ") for part in _entry.split())
    STATE_CODE[_state] = _code
    STATE_CAPITAL[_state] = _capital

_SPELLING_ALPHABET = """
    Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar
    Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey X-ray Yankee Zulu
"""
SPELLING_ALPHABET = tuple(_SPELLING_ALPHABET.split())


def with_article(country: str) -> str:
    """Write a country's name as a sentence does: the Gambia, but Ghana."""
    return f"the {country}" if country in _WITH_ARTICLE else country
